"""Checks of ConductorWorkflow and the task classes."""

import sys

from conductor.client.http.models.start_workflow_request import IdempotencyStrategy, StartWorkflowRequest
from conductor.client.workflow.conductor_workflow import ConductorWorkflow
from conductor.client.workflow.task.do_while_task import DoWhileTask, LoopTask
from conductor.client.workflow.task.dynamic_fork_task import DynamicForkTask
from conductor.client.workflow.task.dynamic_task import DynamicTask
from conductor.client.workflow.task.fork_task import ForkTask
from conductor.client.workflow.task.event_task import ConductorEventTask, EventTaskInterface, SqsEventTask
from conductor.client.workflow.task.http_task import HttpInput, HttpMethod, HttpTask
from conductor.client.workflow.task.human_task import HumanTask
from conductor.client.workflow.task.inline import InlineTask
from conductor.client.workflow.task.javascript_task import JavascriptTask
from conductor.client.workflow.task.join_task import JoinTask
from conductor.client.workflow.task.json_jq_task import JsonJQTask
from conductor.client.workflow.task.kafka_publish import KafkaPublishTask
from conductor.client.workflow.task.kafka_publish_input import KafkaPublishInput
from conductor.client.workflow.task.pull_workflow_messages_task import PullWorkflowMessagesTask
from conductor.client.workflow.task.set_variable_task import SetVariableTask
from conductor.client.workflow.task.simple_task import SimpleTask, simple_task
from conductor.client.workflow.task.start_workflow_task import StartWorkflowTask
from conductor.client.workflow.task.sub_workflow_task import InlineSubWorkflowTask, SubWorkflowTask
from conductor.client.workflow.task.switch_task import SwitchTask
from conductor.client.workflow.task.terminate_task import TerminateTask, WorkflowStatus
from conductor.client.workflow.task.timeout_policy import TimeoutPolicy
from conductor.client.workflow.task.wait_task import WaitForDurationTask, WaitTask, WaitUntilTask
from python_checks import a_name, check, clients, ended, equal, eventually, metadata, refs, run_checks, workflows

executor = clients.get_workflow_executor()
tasks = clients.get_task_client()


def built(**more) -> ConductorWorkflow:
    return ConductorWorkflow(executor=executor, name=a_name("built"), version=1, **more)


def setting(ref: str, **values) -> SetVariableTask:
    task = SetVariableTask(ref)
    task.input_parameters.update(values)
    return task


def outcome(*task_list, output: dict = {}, input: dict = {}):
    workflow = built().add(list(task_list)).output_parameters(output)
    workflow.register(overwrite=True)
    return workflow.execute(workflow_input=input, wait_for_seconds=5)


@check("says all about a definition, and the server keeps it")
def says_all():
    workflow = (
        built(description="what it is for")
        .timeout_policy(TimeoutPolicy.ALERT_ONLY)
        .timeout_seconds(77)
        .owner_email("team@example.com")
        .failure_workflow("on_failure")
        .restartable(True)
        .input_parameters(["who"])
        .input_template({"who": "nobody"})
        .variables({"v": 1})
        .output_parameters({"a": 1})
        .output_parameter("b", 2)
        .add(SimpleTask("py_s", "s"))
    )
    workflow.enable_status_listener("listener")
    workflow.disable_status_listener()
    equal([workflow.input("who"), workflow.output("a")], ["${workflow.input.who}", "${workflow.output.a}"])
    workflow.register(overwrite=True)
    stored = metadata.get_workflow_def(workflow.name)
    sent = workflow.to_workflow_def()
    for field in ("description", "timeout_policy", "timeout_seconds", "owner_email", "failure_workflow", "variables"):
        equal([field, getattr(stored, field)], [field, getattr(sent, field)])
    for field in ("input_parameters", "input_template", "output_parameters"):
        equal([field, getattr(stored, field)], [field, getattr(sent, field)])
    equal([task.task_reference_name for task in stored.tasks], ["s"])


@check("starts and executes what it describes")
def starts():
    workflow = built().workflow_input({"who": "nobody"}).add(setting("set", who="${workflow.input.who}"))
    workflow.output_parameter("who", "${workflow.variables.who}").register(overwrite=True)
    equal(workflow.execute({"who": "me"}).output, {"who": "me"})
    equal(workflow(who="called").output, {"who": "called"})
    id = workflow.start_workflow(StartWorkflowRequest(input={"who": "you"}))
    equal(ended(id).output, {"who": "you"})
    id = workflow.start_workflow_with_input({"who": "they"}, correlation_id="corr", priority=3)
    run = ended(id)
    equal([run.output, run.correlation_id, run.priority], [{"who": "they"}, "corr", 3])


@check("starts once for one idempotency key")
def idempotent():
    workflow = built().add(WaitTask("w"))
    workflow.register(overwrite=True)
    strategy = IdempotencyStrategy.RETURN_EXISTING
    start = lambda: workflow.start_workflow_with_input(idempotency_key="once", idempotency_strategy=strategy)
    equal(start(), start())


@check("ConductorEventTask publishes to the internal sink")
def event_task():
    workflow = built().add(ConductorEventTask("e", "py_event"))
    workflow.register(overwrite=True)
    run = ended(workflow.start_workflow_with_input({}))
    equal([run.status, run.tasks[0].output_data["event_produced"]], ["COMPLETED", f"conductor:{workflow.name}:py_event"])


@check("PullWorkflowMessagesTask takes the messages of an execution")
def pull_task():
    workflow = built().add(PullWorkflowMessagesTask("p", 2))
    workflow.register(overwrite=True)
    id = workflow.start_workflow_with_input({})
    workflows.send_message(id, {"from": "python"})
    run = ended(id)
    equal([run.status, run.output["count"]], ["COMPLETED", 1])


@check("SqsEventTask, EventTaskInterface and KafkaPublishTask say what keeps them from their brokers")
def broker_tasks():
    def reason(task):
        workflow = built().add(task)
        workflow.register(overwrite=True)
        return ended(workflow.start_workflow_with_input({})).tasks[0].reason_for_incompletion

    assert "Unknown queue type sqs" in reason(SqsEventTask("s", "orders"))
    assert "Unknown queue type nats" in reason(EventTaskInterface("n", "nats", "orders"))
    nobody = KafkaPublishInput(bootstrap_servers="127.0.0.1:1", topic="t", value="v")
    assert "Failed to invoke kafka task" in reason(KafkaPublishTask("k", nobody))


@check("SimpleTask, simple_task and DynamicTask go to workers")
def worker_tasks():
    task_type = a_name("simple")
    workflow = built() >> simple_task(task_type, "s", {"a": 1}) >> DynamicTask("${workflow.input.which}", "d")
    workflow.register(overwrite=True)
    id = workflow.start_workflow_with_input({"which": task_type})
    for ref in ("s", "d"):
        task = eventually(lambda: next((t for t in [tasks.poll_task(task_type)] if t.task_id), None))
        equal(task.reference_task_name, ref)
        tasks.update_task_sync(id, ref, "COMPLETED", {"by": ref})
    equal(ended(id).status, "COMPLETED")


@check("HttpTask, InlineTask, JavascriptTask and JsonJQTask run in the server")
def server_tasks():
    http = HttpTask("h", HttpInput(uri=f"{sys.argv[1]}/version", method=HttpMethod.GET, accept="*/*"))
    inline = InlineTask("i", "(function () { return $.n * 2; })();", {"n": "${workflow.input.n}"})
    script = JavascriptTask("j", "$.n + 1", {"n": "${workflow.input.n}"})
    jq = JsonJQTask("q", ".list | length")
    jq.input_parameters["list"] = [1, 2, 3]
    output = {"status": http.status_code(), "i": inline.output("result"), "j": script.output()}
    output["q"] = jq.output("result")
    run = outcome(http, inline, script, jq, output=output, input={"n": 21})
    equal([run.status, run.output], ["COMPLETED", {"status": 200, "i": 42, "j": 22, "q": 3}])


@check("SwitchTask takes the case of its value or its script")
def switches():
    by_value = SwitchTask("v", "${workflow.input.way}").switch_case("left", [setting("l", went="left")])
    by_value.default_case([setting("r", went="elsewhere")])
    output = {"went": "${workflow.variables.went}"}
    equal(outcome(by_value, output=output, input={"way": "left"}).output, {"went": "left"})
    equal(outcome(by_value, output=output, input={"way": "up"}).output, {"went": "elsewhere"})
    by_script = SwitchTask("s", "$.n > 1 ? 'many' : 'few'", use_javascript=True)
    by_script.switch_case("many", [setting("m", went="many")])
    by_script.input_parameters["n"] = 2
    equal(outcome(by_script, output=output).output, {"went": "many"})


@check("ForkTask and JoinTask run branches side by side")
def forks():
    fork = ForkTask("fork", [[setting("a", a=1)], [setting("b", b=2)]], join_on=["a", "b"])
    output = {"a": "${workflow.variables.a}", "b": "${workflow.variables.b}"}
    run = outcome(fork, output=output)
    equal([run.status, run.output], ["COMPLETED", {"a": 1, "b": 2}])
    apart = [ForkTask("fork", [[setting("a", a=1)], [setting("b", b=2)]]), JoinTask("join", join_on=["a", "b"])]
    equal(outcome(*apart, output=output).output, {"a": 1, "b": 2})
    workflow = (built() >> [setting("a", a=1), setting("b", b=2)] >> setting("c", c=3)).output_parameters(output)
    workflow.register(overwrite=True)
    equal(workflow.execute(wait_for_seconds=5).output, {"a": 1, "b": 2})


@check("DynamicForkTask runs the tasks of its input")
def dynamic_forks():
    fork = DynamicForkTask("fork", tasks_param="list", tasks_input_param_name="inputs", join_task=JoinTask("join"))
    fork.input_parameters.update({"list": "${workflow.input.list}", "inputs": "${workflow.input.inputs}"})
    inner = [{"name": f"in_{n}", "taskReferenceName": f"in_{n}", "type": "SET_VARIABLE"} for n in (1, 2)]
    inputs = {"in_1": {"one": 1}, "in_2": {"two": 2}}
    output = {"one": "${workflow.variables.one}", "two": "${workflow.variables.two}"}
    run = outcome(fork, output=output, input={"list": inner, "inputs": inputs})
    equal([run.status, run.output], ["COMPLETED", {"one": 1, "two": 2}])


@check("LoopTask and DoWhileTask repeat")
def loops():
    rounds = lambda ref: {"rounds": "${" + ref + ".output.iteration}"}
    equal(outcome(LoopTask("l", 3, [setting("in", x=1)]), output=rounds("l")).output, {"rounds": 3})
    asked = DoWhileTask("d", "$.d['iteration'] < 2", [setting("in", x=1)])
    equal(outcome(asked, output=rounds("d")).output, {"rounds": 2})


@check("waits end by themselves when their time has come, HumanTask when somebody ends it")
def waits():
    workflow = built() >> WaitForDurationTask("short", 0) >> WaitUntilTask("past", "2020-01-01 00:00")
    workflow = workflow >> WaitTask("signal") >> HumanTask("person", display_name="Please look")
    workflow.register(overwrite=True)
    id = workflow.start_workflow_with_input()
    eventually(lambda: len(workflows.get_workflow(id).tasks) == 3)
    tasks.update_task_sync(id, "signal", "COMPLETED", {})
    run = workflows.get_workflow(id)
    equal(refs(run)[2:], [["signal", "COMPLETED"], ["person", "IN_PROGRESS"]])
    equal(run.tasks[-1].input_data["__humanTaskDefinition"]["displayName"], "Please look")
    tasks.update_task_sync(id, "person", "COMPLETED", {"seen": True})
    equal(ended(id).output, {"seen": True})


@check("TerminateTask ends the execution there")
def terminates():
    run = outcome(TerminateTask("end", WorkflowStatus.FAILED, "as told"), setting("never", x=1))
    found = workflows.get_workflow(run.workflow_id)
    equal([found.status, "as told" in found.reason_for_incompletion, len(found.tasks)], ["FAILED", True, 1])


@check("sub-workflows are waited for, by name and inline, a started one is not")
def sub_workflows():
    child = built().add(setting("set", x=5)).output_parameter("x", "${workflow.variables.x}")
    child.register(overwrite=True)
    other = built().add(WaitTask("w"))
    other.register(overwrite=True)
    run = outcome(
        SubWorkflowTask("sub", child.name, 1),
        InlineSubWorkflowTask("inline", child),
        StartWorkflowTask("start", other.name, StartWorkflowRequest(input={"k": 1}), 1),
        output={"x": "${sub.output.x}", "y": "${inline.output.x}", "started": "${start.output.workflowId}"},
    )
    equal([run.status, run.output["x"], run.output["y"]], ["COMPLETED", 5, 5])
    # The id is given out before the execution is there.
    found = eventually(lambda: workflows.search(query=f"workflowType='{other.name}'").results)
    equal([found[0].workflow_id, workflows.get_workflow(found[0].workflow_id).input], [run.output["started"], {"k": 1}])
    nested = built().add(setting("before", x=1)) >> child
    nested.register(overwrite=True)
    equal(nested.execute(wait_for_seconds=5).status, "COMPLETED")
    equal(child.to_workflow_task().type, "SUB_WORKFLOW")


run_checks()
