"""The forms by which details are known, as patterns that take linear time: every repetition in them is bounded."""

from __future__ import annotations

import re

_HAN = r"\u3400-\u9fff"
_KANA = r"\u3040-\u30ff"
_HANGUL = r"\uac00-\ud7a3"

_UNITS = (
    r"%|‰|°[CF]?|[kKMGTP]i?[BbW]|[kKMG]?Hz|[mkµn]?[smgVAW]|[ckmµ]?m[²³]?|kg|lb|oz|ft|min|h|hours?|minutes?|seconds?|"
    r"days?|weeks?|months?|years?|miles?|km/h|mph|tokens?|bytes?|people|persons?|euros?|dollars?|pounds?|EUR|USD|GBP|CNY|"
    r"JPY|CHF|€|\$|£|¥|元|块|万|亿|年|月|日|号|天|周|岁|小时|分钟|公里|公斤|米|人|個|个|円|時|分|歳|원|시|분|명|살"
)
_MONTHS = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|janvier|février|mars|avril|mai|"
    r"juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    r"septiembre|octubre|noviembre|diciembre)"
)

STATEMENTS = re.compile(
    r"\b[Mm]y\s(?!(?:question|problem|point|guess|idea|issue|concern|bad|understanding|goal\shere)\b)[\w'’ -]{2,40}?"
    r"\s(?:is|are)\s(?!(?:not\s)?(?:why|how|what|whether|that|if|to)\b)(?:[^.,;!?\n。]|[.,](?=\d)|(?<=\bDr)\.|(?<=\bMr)\.){1,60}"
    r"|\bI(?:['’]m|\sam)\s(?:allergic\sto|called|named|a\svegetarian|a\svegan|vegetarian|vegan|from|based\sin|\d{1,3}\syears)\b"
    r"(?:[^.,;!?\n]|(?<=\bDr)\.|(?<=\bMr)\.){0,60}"
    r"|\bI\s(?:live|work)\s(?:in|at|for|as|with)\s(?:[^.,;!?\n]|(?<=\bDr)\.|(?<=\bMr)\.){2,60}"
    r"|我(?:对|對)[^.!?\n。！？，,]{1,20}过敏|我住在[^.!?\n。！？，,]{1,30}"
)

_CAPITALISED = r"[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω][\w'’-]{1,30}"
_PARTICLE = "[和跟与及同的了是在也有说到]"
_NO_NAME = (
    r"(?:I|The|This|That|These|Those|What|When|Where|Which|Who|Why|How|And|But|Or|If|It|In|On|At|For|From|To|Is|Are|"
    r"Was|Can|Could|Would|Should|Do|Does|Did|Please|Hello|Hi|Dear|Thanks|Thank|Yes|No|My|Our|We|You|He|She|They|Let|"
    r"As|Of|By|With|So|Not|Also|Then|There|Here|Use|Make|Write|Tell|Give|Show|Remember|Question|Answer|Step|Part|"
    r"First|Second|Third|Next|Last|Der|Die|Das|Le|La|Les|El|Los|Las)\b"
)
NAMES = re.compile(
    rf"(?:\b[Nn]ame\sis|\b(?:called|named)|\b[Nn]ame\sist|\b[Ii]ch\shei(?:ß|ss)e|\bm['’]appelle|\bme\sllamo|\bменя\sзовут)\s"
    rf"({_CAPITALISED}(?:\s{_CAPITALISED}){{0,3}})"
    rf"|\b((?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau|Mme|Sr|Sra)\.?\s{_CAPITALISED}(?:\s{_CAPITALISED}){{0,2}})"
    # Two capitalised words in a row are a name unless the first only begins a sentence.
    rf"|\b(?!{_NO_NAME})((?:[A-Z]{{2,6}}|{_CAPITALISED})(?:\s(?:(?:van|von|de|da|del|der|den|of|the)\s){{0,2}}"
    rf"(?!{_NO_NAME}){_CAPITALISED}){{1,3}})\b"
    rf"|(?:我叫|我是|名字是|名字叫|名叫|叫做|叫作)([{_HAN}]{{2,4}})(?=[，。！？,.!?\s、的和]|$)"
    rf"|((?:(?![和跟与及同给向对把被是有找叫问])[{_HAN}]){{1,2}}(?:先生|女士|小姐|老师|老師|博士|教授|经理|医生|醫生))"
    rf"|((?:(?!{_PARTICLE})[{_HAN}]){{1,6}}·(?:(?!{_PARTICLE})[{_HAN}]){{1,6}}(?:·(?:(?!{_PARTICLE})[{_HAN}]){{1,6}})?)"
    rf"|([\u30a0-\u30ff]{{2,12}}・[\u30a0-\u30ff]{{2,12}})"
    rf"|((?:[{_HAN}]{{1,4}}|[\u30a0-\u30fa\u30fc]{{2,10}})(?:さん|様|ちゃん|くん))"
    rf"|(?:이름은|저는|나는)\s?([{_HANGUL}]{{2,4}}?)(?=이고|이에요|예요|입니다|이야|야|라고)"
    rf"|([{_HANGUL}]{{2,4}}\s?[씨님])(?=[도는은가이를을의와과께]|[^{_HANGUL}]|$)"
)

LITERALS = re.compile(
    "|".join(
        (
            r"https?://[^\s<>\"')\]，。；、）】]{1,400}|\bwww\.[\w-]{1,64}\.[^\s<>\"')\]，。；、]{1,200}",
            r"\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{1,64}\b",
            r"`[^`\n]{1,100}`",
            r"(?<!\w)\"[^\"\n]{2,60}\"(?!\w)|“[^”\n]{2,60}”|«[^»\n]{2,60}»|「[^」\n]{1,60}」|『[^』\n]{1,60}』|《[^》\n]{1,60}》|"
            r"〈[^〉\n]{1,60}〉",
            r"(?<![\w/])(?:[A-Za-z]:\\|~?/|\.{1,2}/)[\w.@-]{1,80}(?:[/\\][\w.@-]{1,80}){0,20}",
            r"(?<![\w/])[\w.@-]{1,60}(?:/[\w.@-]{1,60}){1,12}\.\w{1,8}\b",
            r"\b[\w-]{1,80}\.(?:py|js|ts|c|h|cpp|rs|go|java|md|txt|csv|json|toml|ya?ml|xml|html|css|sql|sh|pdf|png|jpe?g|"
            r"gguf|zip|docx?|xlsx?)\b",
            r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\b",
            rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTHS}\b(?:,?\s\d{{4}})?|\b{_MONTHS}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}})?",
            r"\d{2,4}年\d{1,2}月(?:\d{1,2}[日号])?|\d{1,2}月\d{1,2}[日号]|\d{4}년\s?\d{1,2}월(?:\s?\d{1,2}일)?",
            r"\b\d{1,2}\s?[ap]\.?m\b|\b\d{1,2}h\d{2}\b|\d{1,2}[点時]\d{0,2}[分半]?",
            r"\bv?\d{1,9}\.\d{1,9}(?:\.\d{1,9})+\b",
            r"[€$£¥]\s?\d[\d.,]*\d(?:\s?(?:million|billion|[kKMB])\b)?|[€$£¥]\s?\d",
            rf"(?<![A-Za-z0-9_.])-?\d[\d.,]{{0,24}}\s?(?:{_UNITS})(?![A-Za-z0-9_])",
            r"(?<!\w)\+\d[\d ()-]{6,18}\d\b",
            r"\b0x[0-9A-Fa-f]{1,32}\b|(?<!\w)#\d{1,9}\b",
            r"\b(?=[0-9a-f]{0,40}[a-f])(?=[0-9a-f]{0,40}\d)[0-9a-f]{7,40}\b",
            r"\b[A-Z]{1,5}-?\d{3,10}\b|\b[A-Z]{2,8}-\d{1,10}\b",
            r"(?<![\d.,])\d{1,3}(?:,\d{3}){1,6}(?![\d,])|(?<![\d.,])\d{5,24}(?![\d.,]?\d)",
            r"(?<![\w-])--[a-z][a-z0-9-]{1,40}(?:=[\w./-]{1,60})?",
            r"\b[A-Za-z]\w{0,60}_\w{1,60}\b(?:\(\))?|\b[a-z]{1,40}[A-Z]\w{0,60}\b(?:\(\))?|\b\w{1,60}(?:\.\w{1,60}){0,4}\(\)",
            r"\b[A-Z][a-z]{1,30}(?:[A-Z][a-z0-9]{1,30}){1,5}\b|\b[a-z_]{2,30}(?:\.[a-z_]{2,30}){2,5}\b",
            r"\b[A-Za-z]{2,20}\d{0,3}(?:\.\d{1,2})?-\d{1,4}(?:\.\d{1,3})?[BM]\b",
        )
    )
)

DEFINITIONS = re.compile(
    r"^[ \t]{0,40}(?:export\s|public\s|private\s|static\s|async\s|pub\s){0,3}"
    r"(?:def|class|function|func|fn|struct|enum|interface|type|trait|CREATE\sTABLE)\s+([A-Za-z_]\w{1,60})",
    re.MULTILINE,
)
