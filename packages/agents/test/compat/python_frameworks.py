"""Agents of other frameworks in the Python client; the model calls its first tool, then says what the tool gave."""

import tempfile
from pathlib import Path

from conductor.ai.agents import AgentConfig, AgentRuntime, skill
from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.tools import exit_loop
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from python_checks import check, configuration, equal, run_checks

MODEL = "openai/gpt-4o-mini"
runtime = AgentRuntime(configuration, settings=AgentConfig(worker_poll_interval_ms=10))


def adk_weather(city: str) -> dict:
    """The weather in a city"""
    return {"city": city, "degrees": 21}


def an_adk(name: str, **more) -> LlmAgent:
    return LlmAgent(name=name, model=MODEL, instruction="Be brief.", **more)


def ended(agent):
    result = runtime.run(agent, "How is Rome?")
    equal(result.status, "COMPLETED")
    return result


def times_asked(result) -> int:
    """How often the members of a team were asked, a whole run of theirs each time."""
    run = runtime.client.get_execution(result.execution_id)
    return len([task for task in run["tasks"] if task["taskType"] == "SUB_WORKFLOW"])


@check("Google ADK: an agent whose tool its own worker serves")
def _():
    result = ended(an_adk("adk_single", tools=[adk_weather]))
    equal(result.output["result"], {"city": "x", "degrees": 21})


@check("Google ADK: agents in sequence, in parallel, and over and over")
def _():
    def members(team: str) -> list:
        return [an_adk(f"{team}_one"), an_adk(f"{team}_two")]

    equal(times_asked(ended(SequentialAgent(name="adk_sequence", sub_agents=members("s")))), 2)
    parallel = ended(ParallelAgent(name="adk_parallel", sub_agents=members("p")))
    equal(sorted(parallel.sub_results), ["p_one", "p_two"])
    equal(times_asked(ended(LoopAgent(name="adk_loop", max_iterations=3, sub_agents=members("l")))), 6)


@check("Google ADK: an agent that calls exit_loop ends the loop, and no worker of the client is asked")
def _():
    members = [an_adk("e_one"), an_adk("e_two", tools=[exit_loop]), an_adk("e_three")]
    equal(times_asked(ended(LoopAgent(name="adk_exit", max_iterations=3, sub_agents=members))), 2)


@tool
def chain_weather(city: str) -> str:
    """The weather in a city"""
    return f"21 degrees in {city}"


@check("LangChain: an agent whose tool its own worker serves")
def _():
    model = ChatOpenAI(model="gpt-4o-mini", api_key="unused")
    agent = create_agent(model, tools=[chain_weather], system_prompt="Be brief.", name="chain_single")
    equal("21 degrees in x" in ended(agent).output["result"], True)


@check("skills: the model hears what a script of the folder printed")
def _():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "py-skill"
        (path / "scripts").mkdir(parents=True)
        (path / "scripts" / "hello.sh").write_text("#!/bin/sh\necho hello $1\n")
        (path / "scripts" / "hello.sh").chmod(0o755)
        (path / "SKILL.md").write_text("---\nname: py-skill\ndescription: D.\n---\n# Greet\n")
        equal("hello" in ended(skill(path, model=MODEL)).output["result"], True)


run_checks()
