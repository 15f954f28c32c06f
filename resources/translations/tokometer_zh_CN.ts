<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
    <context>
        <name>AboutNumbersDialog</name>
        <message>
            <source>About the numbers</source>
            <translation>关于各项数字</translation>
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
            <translation>思考</translation>
        </message>
        <message>
            <source>Thinking...</source>
            <translation>思考中…</translation>
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
            <translation>Enter 发送，Shift+Enter 换行</translation>
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
            <translation>停止回答（Esc）</translation>
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
            <translation>快满了</translation>
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
            <translation>已用 {used} / {limit} 个 token（{percent}），占用 KV 缓存 {memory}</translation>
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
            <translation>不用 → 使用此摘要时的提示词：长度、占用的 KV 缓存，以及全部未缓存时预计的 TTFT（按本对话实测的预填充速度计算）。</translation>
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
            <translation>上下文已满，回答到此为止。请为对话生成摘要，或新建对话。</translation>
        </message>
        <message>
            <source>The window was closed or the engine ended while this was written; what had come is kept.</source>
            <translation>书写过程中窗口被关闭或引擎终止；已收到的内容已保留。</translation>
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
            <translation>生成摘要</translation>
        </message>
        <message>
            <source>New conversation</source>
            <translation>新对话</translation>
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
            <translation>对话</translation>
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
            <translation>加载已取消。</translation>
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
            <translation>Tokometer 出了一个错误，但会继续运行。你的对话都已保留。</translation>
        </message>
        <message>
            <source>Copy details</source>
            <translation>复制详情</translation>
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
            <translation>SVG 图形</translation>
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
            <translation>开</translation>
        </message>
        <message>
            <source>off</source>
            <translation>关</translation>
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
            <translation>按此加载</translation>
        </message>
        <message>
            <source>Context (tokens)</source>
            <translation>上下文（token）</translation>
        </message>
        <message>
            <source>How many tokens one conversation can hold; the model was trained for {}.</source>
            <translation>一个对话最多容纳多少 token；模型训练时为 {}。</translation>
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
            <translation>自动：llama.cpp 检测可用时开启。</translation>
        </message>
        <message>
            <source>Layers on the GPU</source>
            <translation>GPU 上的层数</translation>
        </message>
        <message>
            <source>What was really offloaded is shown after the load.</source>
            <translation>加载后会显示实际卸载到 GPU 的层数。</translation>
        </message>
        <message>
            <source>The output layer counts as one.</source>
            <translation>输出层算作一层。</translation>
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
            <translation>GPU 上的层数</translation>
        </message>
        <message>
            <source>V can be {} only with flash attention: set it to automatic or on, or V to f16.</source>
            <translation>只有启用 Flash Attention 时 V 才能用 {}：请将其设为自动或开，或将 V 设为 f16。</translation>
        </message>
    </context>
    <context>
        <name>MainWindow</name>
        <message>
            <source>Summarise</source>
            <translation>生成摘要</translation>
        </message>
        <message>
            <source>Summarise the conversation</source>
            <translation>为对话生成摘要</translation>
        </message>
        <message>
            <source>Let the model condense the older turns, so that they take less of the context. Can be undone.</source>
            <translation>让模型压缩较早的轮次，减少占用的上下文。可以撤销。</translation>
        </message>
        <message>
            <source>New</source>
            <translation>新建</translation>
        </message>
        <message>
            <source>New conversation</source>
            <translation>新对话</translation>
        </message>
        <message>
            <source>Start an empty conversation and empty the KV cache. This one is kept.</source>
            <translation>开始一个空对话并清空 KV 缓存。当前对话会保留。</translation>
        </message>
        <message>
            <source>Ask something</source>
            <translation>问点什么吧</translation>
        </message>
        <message>
            <source>While the answer is written, the charts show where the time and the memory go.</source>
            <translation>书写回答时，图表会显示时间和内存用在哪里。</translation>
        </message>
    </context>
    <context>
        <name>MemoryPanel</name>
        <message>
            <source>Weights {weights}, KV cache {used} in use of {reserved}, recurrent state {recurrent}, compute and output {compute}, measured {process}, machine {machine}. {context} of {n_ctx} in use.</source>
            <translation>权重 {weights}，KV 缓存已用 {used} / {reserved}，循环状态 {recurrent}，计算与输出 {compute}，实测 {process}，本机 {machine}。上下文已用 {context} / {n_ctx}。</translation>
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
            <translation>加载模型后，这里会按上下文长度显示其权重、KV 缓存和缓冲区。</translation>
        </message>
        <message>
            <source>about {} left</source>
            <translation>约剩 {}</translation>
        </message>
        <message>
            <source>the next turn will not fit</source>
            <translation>容不下下一轮</translation>
        </message>
        <message>
            <source>At {growth} tokens a turn (mean of {turns}) the context of {n_ctx} is full at turn {turn}.</source>
            <translation>按每轮 {growth} 个 token（{turns}的平均值），{n_ctx} 的上下文将在第 {turn} 轮用完。</translation>
        </message>
        <message>
            <source>Compute and output buffers: scratch memory for one batch, and the logits.</source>
            <translation>计算与输出缓冲区：一个批次的临时内存和 logits。</translation>
        </message>
        <message>
            <source>Measured memory of the model's process.</source>
            <translation>模型进程的实测内存。</translation>
        </message>
        <message>
            <source>The KV cache in use when the conversation has become that long.</source>
            <translation>对话达到该长度时占用的 KV 缓存。</translation>
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
            <source>The model's parameters.</source>
            <translation>模型的参数。</translation>
        </message>
        <message>
            <source>compute</source>
            <translation>计算</translation>
        </message>
        <message>
            <source>KV used</source>
            <translation>KV 已用</translation>
        </message>
        <message>
            <source>KV free</source>
            <translation>KV 空闲</translation>
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
            <translation>循环层的状态；不会增长。</translation>
        </message>
        <message>
            <source>recurrent</source>
            <translation>循环状态</translation>
        </message>
        <message>
            <source>The machine's memory, {}.</source>
            <translation>本机内存，{}。</translation>
        </message>
        <message>
            <source>machine</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>It lies above this chart.</source>
            <translation>它在图表上方之外。</translation>
        </message>
        <message>
            <source>At {} of context</source>
            <translation>上下文 {} 处</translation>
        </message>
        <message>
            <source>At {} of context, expected</source>
            <translation>上下文 {} 处，预计</translation>
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
            <translation>引擎在这些设置下崩溃了两次，这次使用更安全的设置。</translation>
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
            <translation>每个 token</translation>
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
            <translation>{} 上次使引擎终止：打开它可再试一次。</translation>
        </message>
        <message>
            <source>An answer was interrupted last time; what had come of it is kept.</source>
            <translation>上次有一个回答被中断；已收到的内容已保留。</translation>
        </message>
        <message>
            <source>{} What is not saved is kept in memory.</source>
            <translation>{} 未保存的内容保留在内存中。</translation>
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
            <translation>对话开始前告诉模型的内容；对当前对话和新对话生效。</translation>
        </message>
        <message>
            <source>Temperature</source>
            <translation>温度</translation>
        </message>
        <message>
            <source>0 always takes the likeliest token.</source>
            <translation>0 表示总是选择最可能的 token。</translation>
        </message>
        <message>
            <source>Top k</source>
            <translation>Top k</translation>
        </message>
        <message>
            <source>Only the k likeliest tokens; 0 is off.</source>
            <translation>只考虑最可能的 k 个 token；0 为关闭。</translation>
        </message>
        <message>
            <source>Top p</source>
            <translation>Top p</translation>
        </message>
        <message>
            <source>The likeliest tokens that together have this probability; 1 is off.</source>
            <translation>累计概率达到此值的最可能 token；1 为关闭。</translation>
        </message>
        <message>
            <source>Min p</source>
            <translation>Min p</translation>
        </message>
        <message>
            <source>Tokens with at least this share of the best one; 0 is off.</source>
            <translation>概率至少为最佳 token 此比例的 token；0 为关闭。</translation>
        </message>
        <message>
            <source>Repeat penalty</source>
            <translation>重复惩罚</translation>
        </message>
        <message>
            <source>Above 1 makes repetition less likely; 1 is off.</source>
            <translation>大于 1 会减少重复；1 为关闭。</translation>
        </message>
        <message>
            <source>Most tokens in an answer</source>
            <translation>回答的最多 token 数</translation>
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
            <translation>默认采样</translation>
        </message>
        <message>
            <source>System</source>
            <translation>系统</translation>
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
            <translation>提示 {}</translation>
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
            <translation>{state} - {backend}</translation>
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
            <translation>正在加载 {} %</translation>
        </message>
        <message>
            <source>{activity}, in “{title}”</source>
            <translation>{activity}（在“{title}”中）</translation>
        </message>
        <message>
            <source>preparing</source>
            <translation>准备中</translation>
        </message>
        <message>
            <source>summarising: {}</source>
            <translation>正在生成摘要：{}</translation>
        </message>
        <message>
            <source>no model</source>
            <translation>无模型</translation>
        </message>
        <message>
            <source>{offloaded} of {total} layers on the GPU</source>
            <translation>GPU 上 {offloaded} / {total} 层</translation>
        </message>
        <message>
            <source>writing</source>
            <translation>书写中</translation>
        </message>
        <message>
            <source>reading {done} / {total}</source>
            <translation>阅读中 {done} / {total}</translation>
        </message>
        <message>
            <source>{reading}, {left} left</source>
            <translation>{reading}，还剩 {left}</translation>
        </message>
    </context>
    <context>
        <name>SummaryController</name>
        <message>
            <source>There is nothing to summarise yet.</source>
            <translation>还没有可以生成摘要的内容。</translation>
        </message>
        <message>
            <source>The engine could not count the tokens of this conversation.</source>
            <translation>引擎无法统计此对话的 token 数。</translation>
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
            <translation>最近的回答：{tokens}，每个 token {tpot}，{rate}；半数 token 不超过 {p50}，95% 不超过 {p95}，最慢 {slowest}。</translation>
        </message>
        <message>
            <source>Time per token</source>
            <translation>每 token 时间</translation>
        </message>
        <message>
            <source>tokens</source>
            <translation>token</translation>
        </message>
        <message>
            <source>From the second token of an answer on, the time between its tokens is drawn here as it comes.</source>
            <translation>从回答的第二个 token 起，这里实时绘制 token 之间的时间。</translation>
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
            <source>Half of this answer's tokens took no longer.</source>
            <translation>本次回答中半数 token 不超过此值。</translation>
        </message>
        <message>
            <source>p95</source>
            <translation>p95</translation>
        </message>
        <message>
            <source>95 of 100 of this answer's tokens took no longer.</source>
            <translation>本次回答中 95% 的 token 不超过此值。</translation>
        </message>
        <message>
            <source>earlier</source>
            <translation>之前</translation>
        </message>
        <message>
            <source>The tokens of earlier answers.</source>
            <translation>之前回答的 token。</translation>
        </message>
        <message>
            <source>This answer's slowest token; the triangles mark tokens above the scale.</source>
            <translation>本次回答最慢的 token；三角形标出超出刻度的 token。</translation>
        </message>
        <message>
            <source>max</source>
            <translation>最大</translation>
        </message>
        <message>
            <source>{turn}, at {context} of context</source>
            <translation>{turn}，上下文 {context} 处</translation>
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
            <source>Last turn: {}.</source>
            <translation>最近一轮：{}。</translation>
        </message>
        <message>
            <source>Shortest {shortest}, longest {longest}.</source>
            <translation>最短 {shortest}，最长 {longest}。</translation>
        </message>
        <message>
            <source>Time to first token</source>
            <translation>首 token 时间</translation>
        </message>
        <message>
            <source>turn</source>
            <translation>轮次</translation>
        </message>
        <message>
            <source>Each answer gets a bar here, split into the parts of its wait: send a message to see one.</source>
            <translation>每个回答在这里有一根柱，按等待的各部分划分：发送一条消息即可看到。</translation>
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
            <source>A part of this turn's prompt was already in the KV cache and was not read again.</source>
            <translation>本轮提示词的一部分已在 KV 缓存中，没有重新读取。</translation>
        </message>
        <message>
            <source>cached</source>
            <translation>已缓存</translation>
        </message>
        <message>
            <source>Turn {number}: {split}</source>
            <translation>第 {number} 轮：{split}</translation>
        </message>
        <message>
            <source>prompt {prompt}, {cached} of them cached</source>
            <translation>提示词 {prompt}，其中已缓存 {cached}</translation>
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
            <translation>未加载模型</translation>
        </message>
        <message>
            <source>Open a GGUF file, or drop one onto this window. It stays on this machine.</source>
            <translation>打开一个 GGUF 文件，或把文件拖到此窗口。文件不会离开本机。</translation>
        </message>
        <message>
            <source>Open a model file…</source>
            <translation>打开模型文件…</translation>
        </message>
        <message>
            <source>To try Tokometer with a small model (94 MB), install the starter model and load it:</source>
            <translation>想用一个小模型（94 MB）试用 Tokometer，请安装入门模型并加载：</translation>
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
            <translation>新对话(&amp;N)</translation>
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
            <translation>重新生成最后的回答(&amp;R)</translation>
        </message>
        <message>
            <source>Su&amp;mmarise</source>
            <translation>生成摘要(&amp;M)</translation>
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
            <translation>正常文字(&amp;N)</translation>
        </message>
        <message>
            <source>About the &amp;numbers</source>
            <translation>关于各项数字(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;About Tokometer</source>
            <translation>关于 Tokometer(&amp;A)</translation>
        </message>
    </context>
    <context>
        <name>WindowCommands</name>
        <message>
            <source>Open a model file</source>
            <translation>打开模型文件</translation>
        </message>
        <message>
            <source>GGUF models (*.gguf);;All files (*)</source>
            <translation>GGUF 模型 (*.gguf);;所有文件 (*)</translation>
        </message>
        <message>
            <source>The starter model is not installed here yet.</source>
            <translation>入门模型尚未安装。</translation>
        </message>
        <message>
            <source>About Tokometer</source>
            <translation>关于 Tokometer</translation>
        </message>
        <message>
            <source>&lt;b&gt;Tokometer {version}&lt;/b&gt;&lt;p&gt;A desktop chat for local models that shows where the time and the memory go.&lt;/p&gt;&lt;p&gt;Nothing you write leaves this machine.&lt;/p&gt;</source>
            <translation>&lt;b&gt;Tokometer {version}&lt;/b&gt;&lt;p&gt;本地模型的桌面聊天窗口，显示时间和内存用在哪里。&lt;/p&gt;&lt;p&gt;你输入的内容不会离开本机。&lt;/p&gt;</translation>
        </message>
        <message>
            <source>Open a link</source>
            <translation>打开链接</translation>
        </message>
        <message>
            <source>The model wrote this address. Open it in your browser?</source>
            <translation>这是模型写出的地址。要在浏览器中打开吗？</translation>
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
            <translation>{} %</translation>
        </message>
        <message>
            <source>complete</source>
            <translation>完成</translation>
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
            <translation>已中断</translation>
        </message>
        <message>
            <source>{prompt} + {answer} tokens</source>
            <translation>{prompt} + {answer} 个 token</translation>
        </message>
        <message>
            <source>{} cached</source>
            <translation>已缓存 {}</translation>
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
            <translation>首 token 时间（TTFT）：从按下发送到采样出第一个 token。由排队、分词、预填充和其余部分组成。</translation>
        </message>
        <message>
            <source>Queue: from pressing Send until the engine took the request.</source>
            <translation>排队：从按下发送到引擎接收请求。</translation>
        </message>
        <message>
            <source>Tokenise: rendering the chat template and tokenising.</source>
            <translation>分词：渲染聊天模板并分词。</translation>
        </message>
        <message>
            <source>Prefill: from the first prefill decode until the prompt was done.</source>
            <translation>预填充：从第一次预填充解码到提示词处理完毕。</translation>
        </message>
        <message>
            <source>Rest: what is left of TTFT: preparing the cache before the prefill and sampling the first token after it.</source>
            <translation>其余：TTFT 的剩余部分，即预填充前准备缓存以及之后采样第一个 token。</translation>
        </message>
        <message>
            <source>Inter-token latency (ITL): from one sampled token to the next, within one answer.</source>
            <translation>token 间延迟（ITL）：同一回答中从一个采样 token 到下一个的时间。</translation>
        </message>
        <message>
            <source>Time per output token (TPOT): from the first to the last sampled token, divided by the tokens after the first. Unknown for fewer than two tokens.</source>
            <translation>每输出 token 时间（TPOT）：从第一个到最后一个采样 token 的时间，除以第一个之后的 token 数。少于两个 token 时未知。</translation>
        </message>
        <message>
            <source>End to end (E2E): from pressing Send to the last token: TTFT + (n - 1) × TPOT.</source>
            <translation>端到端（E2E）：从按下发送到最后一个 token：TTFT + (n - 1) × TPOT。</translation>
        </message>
        <message>
            <source>Prefill rate: prompt tokens that were not cached, divided by the prefill's time.</source>
            <translation>预填充速度：未缓存的提示词 token 数除以预填充时间。</translation>
        </message>
        <message>
            <source>Decode rate: 1 / TPOT, in tokens per second.</source>
            <translation>解码速度：1 / TPOT，单位为 token/秒。</translation>
        </message>
        <message>
            <source>KV used: cells in use × bytes per cell, for each class of layers.</source>
            <translation>KV 已用：使用中的单元数 × 每单元字节数，按层的类别分别计算。</translation>
        </message>
        <message>
            <source>KV reserved: what llama.cpp allocates for the whole context when the model is loaded. It stays the same; only the used part of it grows.</source>
            <translation>KV 预留：加载模型时 llama.cpp 为整个上下文分配的内存。它保持不变，只有已用部分会增长。</translation>
        </message>
        <message>
            <source>Memory: weights + KV reserved (of it used) + recurrent state + compute + output, as llama.cpp allocated it; beside it the measured memory of the model's process.</source>
            <translation>内存：llama.cpp 分配的权重 + KV 预留（其中已用） + 循环状态 + 计算 + 输出；旁边是模型进程的实测内存。</translation>
        </message>
        <message>
            <source>Context: KV cells in use, of the number of tokens one conversation can hold.</source>
            <translation>上下文：使用中的 KV 单元数，相对于一个对话能容纳的 token 数。</translation>
        </message>
    </context>
</TS>
