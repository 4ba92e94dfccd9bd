"""The agent and the secret client of the Python SDK: every call of their own."""

import asyncio

from conductor.client.ai.agent_errors import AgentNotFoundError
from conductor.client.http.api.secret_resource_api import SecretResourceApi
from conductor.client.http.api_client import ApiClient
from conductor.client.orkes.orkes_agent_client import OrkesAgentClient
from python_checks import check, clients, configuration, equal, eventually, refused, run_checks

agents = clients.get_agent_client()
secrets = clients.get_secret_client()
secret_api = SecretResourceApi(ApiClient(configuration))


def a_config(name: str) -> dict:
    ask = {"name": "ask_first", "toolType": "human", "description": "Asks"}
    return {"name": name, "model": "openai/gpt-4o-mini", "instructions": "Be brief.", "tools": [ask]}


def types(events: list) -> list:
    return [event["event"] for event in events]


@check("agents: compiled, deployed, started, answered, watched and listed")
def _():
    config = a_config("py_client")
    equal(agents.compile_agent({"agentConfig": config})["workflowDef"]["name"], "py_client")
    equal(agents.deploy_agent({"agentConfig": config})["agentName"], "py_client")
    run = agents.start_agent({"name": "py_client", "prompt": "go"})["executionId"]
    status = eventually(lambda: agents.get_status(run) if agents.get_status(run)["isWaiting"] else None)
    equal([status["status"], status["isComplete"]], ["RUNNING", False])
    agents.signal(run, "be quick")
    agents.respond(run, {"message": "yes"})
    events = list(agents.stream_sse(run))
    equal(types(events), ["thinking", "waiting", "thinking", "done"])
    equal(types(list(agents.stream_sse(run, last_event_id=events[1]["id"]))), ["thinking", "done"])
    agents.stop(run)
    equal(agents.get_execution(run)["status"], "COMPLETED")
    equal(agents.list_executions({"agentName": "py_client"})["totalHits"], 1)
    equal(agents.schedules.get_all_schedules(), [])
    agents.close()


@check("agents: the same, asynchronous")
def _():
    async def run():
        agents = OrkesAgentClient(configuration)
        config = a_config("py_client_async")
        compiled = await agents.compile_agent_async({"agentConfig": config})
        deployed = await agents.deploy_agent_async({"agentConfig": config})
        started = (await agents.start_agent_async({"name": "py_client_async", "prompt": "go"}))["executionId"]
        while not (await agents.get_status_async(started))["isWaiting"]:
            await asyncio.sleep(0.01)
        await agents.signal_async(started, "be quick")
        await agents.respond_async(started, {"message": "yes"})
        events = [event async for event in agents.stream_sse_async(started)]
        await agents.stop_async(started)
        ended = await agents.get_execution_async(started)
        listed = await agents.list_executions_async({"agentName": "py_client_async"})
        await agents.close_async()
        names = [compiled["workflowDef"]["name"], deployed["agentName"]]
        return [*names, types(events), ended["status"], listed["totalHits"]]

    name = "py_client_async"
    equal(asyncio.run(run()), [name, name, ["thinking", "waiting", "thinking", "done"], "COMPLETED", 1])


@check("agents: one that is not there")
def _():
    try:
        agents.get_status("nobody")
    except AgentNotFoundError as error:
        equal(error.status_code, 404)
        return
    raise AssertionError("Expected the call to be refused")


@check("secrets: values go in and come out, by the client")
def _():
    secrets.put_secret("PY_TOKEN", "a value")
    equal(secrets.get_secret("PY_TOKEN"), "a value")
    equal(secrets.secret_exists("PY_TOKEN"), True)
    equal("PY_TOKEN" in secrets.list_all_secret_names(), True)
    equal("PY_TOKEN" in secrets.list_secrets_that_user_can_grant_access_to(), True)
    secrets.delete_secret("PY_TOKEN")
    equal("PY_TOKEN" in secrets.list_all_secret_names(), False)


@check("secrets: values go in and come out, by the class below it")
def _():
    secret_api.put_secret("v", "PY_OTHER")
    equal([secret_api.get_secret("PY_OTHER"), secret_api.secret_exists("PY_OTHER")], ["v", True])
    equal("PY_OTHER" in secret_api.list_all_secret_names(), True)
    equal("PY_OTHER" in secret_api.list_secrets_that_user_can_grant_access_to(), True)
    secret_api.delete_secret("PY_OTHER")
    equal(refused(lambda: secret_api.get_secret("PY_OTHER"))[0], 404)


run_checks()
