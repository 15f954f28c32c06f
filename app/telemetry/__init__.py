"""Measurements: raw instants in, TTFT, TPOT and memory out, and what follows from them.

timings recorder          the instants of a turn, folded from events     waiting      the wait in eight parts
series latencies layers   what the charts draw                           report, tables, receipt
plan planner              memory before a load                           forecast     when the context is full
work model_work           bytes and operations per token                 ceilings roofline   the machine's limits
robust speed              curves fitted to the user's turns              outlook payoff      what is to come
environment history       turns over all conversations                   system_state        the machine meanwhile
diagnosis                 causes with evidence and remedies              words       what each number is
"""
