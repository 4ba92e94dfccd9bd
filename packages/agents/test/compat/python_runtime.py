"""The agents of the Python client: it deploys, runs, watches, answers, and serves its tools."""

import asyncio

from conductor.ai.agents import (
    Agent,
    AgentConfig,
    AgentRuntime,
    CallbackHandler,
    Guardrail,
    GuardrailResult,
    OnTextMention,
    Op,
    Plan,
    RegexGuardrail,
    Step,
    TextMentionTermination,
    get_secret,
    plan_execute,
    tool,
)
from conductor.ai.agents.schedule import Schedule, schedules
from python_checks import check, clients, configuration, equal, eventually, run_checks

MODEL = "openai/gpt-4o-mini"
QUICK = AgentConfig(worker_poll_interval_ms=10)
runtime = AgentRuntime(configuration, settings=QUICK)
done = []


@tool
def py_weather(city: str) -> dict:
    """The weather in a city"""
    return {"city": city, "degrees": 21}


@tool(approval_required=True)
def py_danger(what: str) -> dict:
    """Does something"""
    done.append(what)
    return {"done": what}


@tool(credentials=["TOK"])
def py_secret() -> str:
    """Says how long a secret is"""
    return f"{len(get_secret('TOK'))} characters"


@tool(stateful=True)
def py_stateful(what: str) -> str:
    """Remembers"""
    return f"noted {what}"


def an_agent(name: str, *tools, **more) -> Agent:
    return Agent(name=name, model=MODEL, instructions="Be brief.", tools=list(tools), **more)


def text(result) -> str:
    return result.output["result"]


def waits(handle):
    """The status of a run once it waits for somebody."""

    def look():
        status = handle.get_status()
        return status if status.is_waiting else None

    return eventually(look)


def types(events) -> list:
    return [str(getattr(event.type, "value", event.type)) for event in events]


@check("plan: the definition, and nothing registered")
def _():
    planned = runtime.plan(an_agent("py_planned", py_weather))
    equal([planned["workflowDef"]["name"], planned["requiredWorkers"]], ["py_planned", ["py_weather"]])


@check("deploy: an agent that runs by its name, with a schedule")
def _():
    agent = an_agent("py_deployed", py_weather)
    daily = Schedule(name="daily", cron="0 0 9 * * ?", input={"prompt": "go"})
    [info] = runtime.deploy(agent, schedules=[daily])
    equal([info.agent_name, info.registered_name], ["py_deployed", "py_deployed"])
    [listed] = schedules.list("py_deployed", runtime=runtime)
    equal([listed.short_name, listed.cron], ["daily", "0 0 9 * * ?"])
    schedules.pause(listed.name, runtime=runtime)
    equal(schedules.get(listed.name, runtime=runtime).paused, True)
    schedules.resume(listed.name, runtime=runtime)
    equal(text(schedules.run_now(listed.name, wait=True, poll_interval=0.05, runtime=runtime)), "by name")
    equal(len(schedules.preview_next("0 0 9 * * ?", runtime=runtime)), 5)
    runtime.deploy(agent, schedules=[])
    equal(schedules.list("py_deployed", runtime=runtime), [])
    equal(text(runtime.run("py_deployed", "go")), "by name")
    equal(text(runtime.start("py_deployed", "go").join(timeout=20)), "by name")


@check("run: a tool that its own worker serves, its calls, messages, tokens and the result")
def _():
    result = runtime.run(an_agent("py_runner", py_weather), "How is Rome?", session_id="s1")
    equal([result.status, result.finish_reason, text(result)], ["COMPLETED", "stop", "It is warm in Rome"])
    [call] = result.tool_calls
    equal(call["name"], "py_weather")
    equal([message["message"] for message in result.messages if message["role"] == "user"], ["How is Rome?"])
    equal(result.token_usage.total_tokens, 30)


@check("run: a session goes on where it was")
def _():
    agent = an_agent("py_session")
    equal(text(runtime.run(agent, "I am Ann", session_id="s2")), "Hello")
    equal("I am Ann" in text(runtime.run(agent, "Who am I?", session_id="s2")), True)


@check("run: every event as it happens")
def _():
    events = []
    result = runtime.run(an_agent("py_heard", py_weather), "How is Rome?", on_event=events.append)
    equal(types(events), ["thinking", "tool_call", "tool_result", "thinking", "done"])
    equal(text(result), "It is warm in Rome")
    equal(events[2].result, {"city": "Rome", "degrees": 21})


@check("run: a failed run says why")
def _():
    never = RegexGuardrail(patterns=["secret"], on_fail="raise", name="py_never", message="That is a secret.")
    result = runtime.run(an_agent("py_failed", guardrails=[never]), "go")
    equal([result.status, "That is a secret." in str(result.error)], ["FAILED", True])


@check("run: a tool with a secret, and one that keeps its state")
def _():
    equal(text(runtime.run(an_agent("py_secretive", py_secret), "go")), "6 characters")
    equal(text(runtime.run(an_agent("py_remembering", py_stateful), "go")), "noted x")


@check("stream: approve what waits")
def _():
    del done[:]
    stream = runtime.stream(an_agent("py_gated", py_danger), "go")
    heard = []
    for event in stream:
        heard.append(event)
        if event.type == "waiting":
            stream.approve()
    equal(types(heard), ["thinking", "waiting", "tool_call", "tool_result", "thinking", "done"])
    equal([done, text(stream.get_result())], [["x"], "done"])


@check("stream: reject what waits")
def _():
    del done[:]
    stream = runtime.stream(an_agent("py_refused", py_danger), "go")
    for event in stream:
        if event.type == "waiting":
            stream.reject("no way")
    result = stream.get_result()
    equal([done, result.output["finishReason"], result.output["rejectionReason"]], [[], "rejected", "no way"])


@check("asynchronous: deploy, run, start, stream")
def _():
    async def run():
        # A client of its own: it belongs to the event loop it was first used in.
        async with AgentRuntime(configuration, settings=QUICK) as mine:
            agent = an_agent("py_async", py_weather)
            [info] = await mine.deploy_async(agent)
            handle = await mine.start_async(agent, "How is Rome?")
            joined = await handle.join_async(timeout=20)
            ran = await mine.run_async(agent, "How is Rome?")
            stream = await mine.stream_async(an_agent("py_gated_async", py_danger), "go")
            heard = []
            async for event in stream:
                heard.append(event)
                if event.type == "waiting":
                    await stream.approve()
            return [info.agent_name, text(joined), text(ran), types(heard), text(await stream.get_result())]

    warm = "It is warm in Rome"
    events = ["thinking", "waiting", "tool_call", "tool_result", "thinking", "done"]
    equal(asyncio.run(run()), ["py_async", warm, warm, events, "done"])


@check("handle: status, pause, resume, cancel")
def _():
    handle = runtime.start(an_agent("py_handled", py_danger), "go")
    status = waits(handle)
    equal([status.is_complete, status.is_running], [False, True])
    equal(status.pending_tool["toolCalls"], [{"name": "py_danger", "args": {"what": "x"}}])
    handle.pause()
    equal(handle.get_status().status, "PAUSED")
    handle.resume()
    handle.cancel("enough")
    status = handle.get_status()
    equal([status.status, status.is_complete, status.reason], ["TERMINATED", True, "enough"])


@check("handle: a signal, a stop, another runtime that takes over")
def _():
    agent = an_agent("py_signalled", py_danger)
    handle = runtime.start(agent, "go")
    waits(handle)
    runtime.signal(handle.execution_id, "be quick")
    again = runtime.resume(handle.execution_id, agent)
    again.approve()
    equal(text(again.join(timeout=20)), "done")
    stopped = runtime.start(an_agent("py_stopped", py_danger), "go")
    waits(stopped)
    stopped.stop()
    stopped.approve()
    equal(str(stopped.join(timeout=20).status), "COMPLETED")


def shouts(content: str) -> GuardrailResult:
    return GuardrailResult(passed=content.islower(), message="Do not shout.")


@check("guardrails: a function of the client and a pattern send the model back")
def _():
    calm = Guardrail(shouts, on_fail="retry", name="py_calm")
    clean = RegexGuardrail(patterns=[r"\d{4}"], on_fail="retry", name="py_clean", message="No numbers.")
    equal(text(runtime.run(an_agent("py_guarded", guardrails=[calm, clean]), "go")), "all calm")


notes = []


class Noting(CallbackHandler):
    def on_agent_start(self, **kwargs):
        notes.append("start")

    def on_model_end(self, llm_result=None, **kwargs):
        notes.append(llm_result)

    def on_agent_end(self, **kwargs):
        notes.append("end")


def has_weather(context: dict) -> bool:
    return "enough" in str(context["result"])


@check("callbacks, termination and a condition to stop at")
def _():
    # With a tool: an agent that has callbacks alone does not start the client's workers.
    equal(text(runtime.run(an_agent("py_noted", py_weather, callbacks=[Noting()]), "go")), "noted")
    equal(notes, ["start", "noted", "end"])
    ends = TextMentionTermination("ENOUGH")
    equal("ENOUGH" in text(runtime.run(an_agent("py_ends", py_weather, termination=ends), "go")), True)
    stops = an_agent("py_stops", py_weather, stop_when=has_weather)
    equal(runtime.run(stops, "go").status, "COMPLETED")


turns = iter(["py_two", "DONE"])


def next_turn(prompt: str) -> str:
    return next(turns)


@check("teams: sequential, parallel, handoff, router, swarm, an agent as a tool")
def _():
    one, two = an_agent("py_one", py_weather), an_agent("py_two")
    equal(text(runtime.run(one >> two, "go")), "two's part")
    together = an_agent("py_parallel", agents=[one, two], strategy="parallel")
    result = runtime.run(together, "go")
    equal(result.sub_results, {"py_one": "one's part", "py_two": "two's part"})
    handing = an_agent("py_handoff", agents=[one, two], strategy="handoff")
    equal(text(runtime.run(handing, "go")), "the whole")
    routed = an_agent("py_router", agents=[one, two], strategy="router", router=next_turn)
    equal(text(runtime.run(routed, "go")), "the route's answer")
    swarm = an_agent(
        "py_swarm",
        agents=[one, two],
        strategy="swarm",
        handoffs=[OnTextMention(text="TWO", target="py_two")],
    )
    equal(text(runtime.run(swarm, "go")), "the swarm's answer")


@check("plans: one that is given, run by its own workers")
def _():
    harness = plan_execute("py_plan", tools=[py_weather], model=MODEL)
    plan = Plan(steps=[Step("look", operations=[Op("py_weather", args={"city": "Rome"})])])
    result = runtime.run(harness, "go", plan=plan)
    equal(result.status, "COMPLETED")
    equal("21" in str(result.output), True)


@check("serve: agents whose runs somebody else starts")
def _():
    with AgentRuntime(configuration, settings=QUICK) as other:
        other.serve(an_agent("py_served", py_weather), blocking=False)
        started = clients.get_agent_client().start_agent({"name": "py_served", "prompt": "go"})
        handle = runtime.client.get_status
        equal(eventually(lambda: handle(started["executionId"]).get("output"))["result"], "It is warm in Rome")


run_checks()
