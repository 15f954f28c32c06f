<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutNumbersDialog</name>
    <message>
        <source>About the numbers</source>
        <translation>数字的含义</translation>
    </message>
    <message>
        <source>Definitions</source>
        <translation>定义</translation>
    </message>
</context>
<context>
    <name>AnswerView</name>
    <message>
        <source>Thinking</source>
        <translation>思考过程</translation>
    </message>
    <message>
        <source>Thinking...</source>
        <translation>正在思考…</translation>
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
    <name>Composer</name>
    <message>
        <source>Message</source>
        <translation>消息</translation>
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
    <name>ContextGauge</name>
    <message>
        <source>{used} / {limit}</source>
        <translation>{used} / {limit}</translation>
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
        <source>Context in use</source>
        <translation>上下文用量</translation>
    </message>
</context>
<context>
    <name>ConversationItems</name>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Summary of everything above</source>
        <translation>以上全部内容的摘要</translation>
    </message>
    <message>
        <source>The prompt without → with this summary: its size, the KV cache it takes, and the TTFT to expect when nothing of it is cached, at the prefill speed measured in this conversation.</source>
        <translation>不用 → 使用此摘要时的提示词：它的长度、占用的 KV 缓存，以及在完全没有命中缓存时预计的 TTFT（按本次对话实测的预填充速度计算）。</translation>
    </message>
    <message>
        <source>Undo summary</source>
        <translation>撤销摘要</translation>
    </message>
    <message>
        <source>{before} → {after} · KV {kv_before} → {kv_after} · TTFT {ttft_before} → {ttft_after}</source>
        <translation>{before} → {after} · KV {kv_before} → {kv_after} · TTFT {ttft_before} → {ttft_after}</translation>
    </message>
    <message>
        <source>The context is full: the answer ends here. Summarise the conversation or start a new one.</source>
        <translation>上下文已满，回答到此为止。请总结此对话，或新建一个对话。</translation>
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
        <source>Reload the model</source>
        <translation>重新加载模型</translation>
    </message>
    <message>
        <source>Summarise</source>
        <translation>总结</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新建对话</translation>
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
    <name>Foot</name>
    <message>
        <source>Copy message</source>
        <translation>复制消息</translation>
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
    <name>LoadSettingsDialog</name>
    <message>
        <source>Load settings</source>
        <translation>加载设置</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>as many as fit</source>
        <translation>尽可能多</translation>
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
        <source>Load with these</source>
        <translation>按此设置加载</translation>
    </message>
    <message>
        <source>Context (tokens)</source>
        <translation>上下文 (token)</translation>
    </message>
    <message>
        <source>How many tokens one conversation can hold; the model was trained for {}.</source>
        <translation>一次对话最多能容纳多少 token；此模型训练时的长度为 {}。</translation>
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
        <translation>V 使用量化类型时需要 Flash Attention。</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>Automatic: on where llama.cpp finds that it works.</source>
        <translation>自动：只要 llama.cpp 判断可用就开启。</translation>
    </message>
    <message>
        <source>Layers on the GPU</source>
        <translation>放到 GPU 上的层</translation>
    </message>
    <message>
        <source>What was really offloaded is shown after the load.</source>
        <translation>实际放到 GPU 上的层数在加载后显示。</translation>
    </message>
    <message>
        <source>The output layer counts as one.</source>
        <translation>输出层也算一层。</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU 线程数</translation>
    </message>
    <message>
        <source>Automatic: one for each physical core.</source>
        <translation>自动：每个物理核心一个线程。</translation>
    </message>
    <message>
        <source>Number of layers on the GPU</source>
        <translation>放到 GPU 上的层数</translation>
    </message>
    <message>
        <source>V can be {} only with flash attention: set it to automatic or on, or V to f16.</source>
        <translation>V 只有在启用 Flash Attention 时才能使用 {}：请将 Flash Attention 设为自动或开启，或将 V 设为 f16。</translation>
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
    <name>MemoryPanel</name>
    <message>
        <source>Weights {weights}, KV cache {used} in use of {reserved}, recurrent state {recurrent}, compute and output {compute}, measured {process}, machine {machine}. {context} of {n_ctx} in use.</source>
        <translation>权重 {weights}，KV 缓存已用 {used} / {reserved}，循环状态 {recurrent}，计算与输出缓冲区 {compute}，进程实测 {process}，本机内存 {machine}。上下文已用 {context}，共 {n_ctx}。</translation>
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
        <source>Measured memory of the model&apos;s process.</source>
        <translation>模型进程的实测内存。</translation>
    </message>
    <message>
        <source>The KV cache in use when the conversation has become that long.</source>
        <translation>对话达到该长度时 KV 缓存的用量。</translation>
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
        <source>recurrent</source>
        <translation>循环状态</translation>
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
        <source>Open a model file…</source>
        <translation>打开模型文件…</translation>
    </message>
    <message>
        <source>Load settings…</source>
        <translation>加载设置…</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>取消加载</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
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
        <source>The likeliest tokens that together have this probability; 1 is off.</source>
        <translation>只保留累计概率达到此值的最可能的 token；1 为关闭。</translation>
    </message>
    <message>
        <source>Min p</source>
        <translation>Min p</translation>
    </message>
    <message>
        <source>Tokens with at least this share of the best one; 0 is off.</source>
        <translation>只保留概率不低于最高者此比例的 token；0 为关闭。</translation>
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
        <source>Notice {}</source>
        <translation>通知 {}</translation>
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
        <source>loading {} %</source>
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
        <source>summarising: {}</source>
        <translation>正在总结：{}</translation>
    </message>
    <message>
        <source>no model</source>
        <translation>无模型</translation>
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
        <source>There is nothing to summarise yet.</source>
        <translation>还没有可总结的内容。</translation>
    </message>
    <message>
        <source>The engine could not count the tokens of this conversation.</source>
        <translation>引擎无法统计此对话的 token 数。</translation>
    </message>
    <message>
        <source>A summary changed the beginning of the prompt, so all of it was read anew.</source>
        <translation>摘要改变了提示词的开头，因此全部重新读取。</translation>
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
    <name>Table</name>
    <message>
        <source>Table</source>
        <translation>表格</translation>
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
    <name>WelcomePage</name>
    <message>
        <source>No model is loaded</source>
        <translation>尚未加载模型</translation>
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
        <source>To try Tokometer with a small model (94 MB), install the starter model and load it:</source>
        <translation>想用小模型 (94 MB) 试用 Tokometer，请安装入门模型并加载：</translation>
    </message>
    <message>
        <source>Command that installs the starter model</source>
        <translation>安装入门模型的命令</translation>
    </message>
    <message>
        <source>Load the starter model</source>
        <translation>加载入门模型</translation>
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
        <source>&amp;Load settings…</source>
        <translation>加载设置(&amp;L)…</translation>
    </message>
    <message>
        <source>&amp;Unload the model</source>
        <translation>卸载模型(&amp;U)</translation>
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
        <source>The starter model is not installed here yet.</source>
        <translation>入门模型尚未安装。</translation>
    </message>
    <message>
        <source>The summary was taken back.</source>
        <translation>已撤销摘要。</translation>
    </message>
    <message>
        <source>Use it again</source>
        <translation>重新使用</translation>
    </message>
    <message>
        <source>Reload the model</source>
        <translation>重新加载模型</translation>
    </message>
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
        <source>Open a link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>The model wrote this address. Open it in your browser?</source>
        <translation>此网址由模型生成。要在浏览器中打开吗？</translation>
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
        <source>{} tok/s</source>
        <translation>{} tok/s</translation>
    </message>
    <message>
        <source>{} %</source>
        <translation>{}%</translation>
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
        <source>KV used: cells in use × bytes per cell, for each class of layers.</source>
        <translation>已用 KV：对每一类层，使用中的单元数 × 每单元字节数。</translation>
    </message>
    <message>
        <source>KV reserved: what llama.cpp allocates for the whole context when the model is loaded. It stays the same; only the used part of it grows.</source>
        <translation>预留 KV：加载模型时 llama.cpp 为整个上下文分配的内存。总量不变，只有其中已用的部分会增长。</translation>
    </message>
    <message>
        <source>Memory: weights + KV reserved (of it used) + recurrent state + compute + output, as llama.cpp allocated it; beside it the measured memory of the model&apos;s process.</source>
        <translation>内存：权重 + 预留 KV（含已用部分）+ 循环状态 + 计算 + 输出，均为 llama.cpp 分配的量；旁边是模型进程的实测内存。</translation>
    </message>
    <message>
        <source>Context: KV cells in use, of the number of tokens one conversation can hold.</source>
        <translation>上下文：使用中的 KV 单元数，相对于一次对话最多能容纳的 token 数。</translation>
    </message>
</context>
</TS>
