"""Agents of the Python client whose model calls its first tool, then says what the tool gave."""

from conductor.ai.agents import (
    Agent,
    AgentConfig,
    AgentRuntime,
    agent_tool,
    human_tool,
    tool,
    wait_for_message_tool,
)
from python_checks import check, configuration, equal, run_checks

MODEL = "openai/gpt-4o-mini"
runtime = AgentRuntime(configuration, settings=AgentConfig(worker_poll_interval_ms=10))


@tool
def py_weather(city: str) -> dict:
    """The weather in a city"""
    return {"city": city, "degrees": 21}


def an_agent(name: str, *tools, **more) -> Agent:
    return Agent(name=name, model=MODEL, instructions="Be brief.", tools=list(tools), **more)


def text(result) -> str:
    return result.output["result"]


@check("run: the model hears what a tool gave, and the tokens are counted")
def _():
    result = runtime.run(an_agent("py_spoken", py_weather), "How is Rome?")
    equal([result.status, "degrees" in text(result)], ["COMPLETED", True])
    usage = result.token_usage
    equal([usage.prompt_tokens, usage.completion_tokens, usage.total_tokens], [22, 14, 36])


@check("stream: the model hears the answer to a question that a member of a team asked")
def _():
    asks = human_tool(name="py_ask", description="Asks a person")
    member = an_agent("py_asking", asks)
    stream = runtime.stream(an_agent("py_team", agents=[member], strategy="sequential"), "go")
    for event in stream:
        if event.type == "waiting":
            stream.respond({"answer": "blue"}, event=event)
    equal(text(stream.get_result()), {"answer": "blue"})


@check("messages: the model hears the one it waited for")
def _():
    agent = an_agent("py_listening", wait_for_message_tool(name="py_wait", description="Waits"))
    handle = runtime.start(agent, "go")
    runtime.send_message(handle.execution_id, {"text": "good news"})
    [message] = text(handle.join(timeout=20))["messages"]
    equal(message["payload"], {"text": "good news"})


@check("teams: the model hears what an agent said that serves as its tool")
def _():
    inner = an_agent("py_inner", py_weather)
    equal("degrees" in text(runtime.run(an_agent("py_outer", agent_tool(inner)), "go")), True)


run_checks()
