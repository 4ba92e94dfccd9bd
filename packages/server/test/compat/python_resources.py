"""Checks of the API classes below the clients, for what the clients do not offer."""

import asyncio

from conductor.client.ai.schedule import Schedule
from conductor.client.ai.schedule import _from_workflow_schedule as schedule_info
from conductor.client.ai.schedule_errors import InvalidCronExpression
from conductor.client.http.api.async_task_resource_api import AsyncTaskResourceApi
from conductor.client.http.api.event_resource_api import EventResourceApi
from conductor.client.http.api.metadata_resource_api import MetadataResourceApi
from conductor.client.http.api.scheduler_resource_api import SchedulerResourceApi
from conductor.client.http.api.task_resource_api import TaskResourceApi
from conductor.client.http.api.workflow_bulk_resource_api import WorkflowBulkResourceApi
from conductor.client.http.api.workflow_resource_api import WorkflowResourceApi
from conductor.client.http.api_client import ApiClient
from conductor.client.http.async_api_client import AsyncApiClient
from conductor.client.http.models.action import Action
from conductor.client.http.models.event_handler import EventHandler
from conductor.client.http.models.rerun_workflow_request import RerunWorkflowRequest
from conductor.client.http.models.save_schedule_request import SaveScheduleRequest
from conductor.client.http.models.start_workflow import StartWorkflow
from conductor.client.http.models.start_workflow_request import StartWorkflowRequest
from conductor.client.http.models.task_def import TaskDef
from conductor.client.http.models.task_result import TaskResult
from conductor.client.http.models.workflow_def import WorkflowDef
from conductor.client.orkes.api.tags_api import TagsApi
from conductor.client.orkes.models.metadata_tag import MetadataTag
from conductor.client.orkes.orkes_service_registry_client import OrkesServiceRegistryClient
from python_checks import (
    a_name,
    a_task_type,
    check,
    clients,
    configuration,
    defined,
    ended,
    entry,
    equal,
    eventually,
    metadata,
    refs,
    refused,
    run_checks,
    simple,
    started,
    status_of,
    workflows,
)

http = ApiClient(configuration)
bulk = WorkflowBulkResourceApi(http)
event_api = EventResourceApi(http)
schedule_api = SchedulerResourceApi(http)
schedules = clients.get_scheduler_client()
task_api = TaskResourceApi(http)
workflow_api = WorkflowResourceApi(http)
metadata_api = MetadataResourceApi(http)
tags_api = TagsApi(http)
registry = OrkesServiceRegistryClient(configuration)


def done(task) -> TaskResult:
    id = task.workflow_instance_id
    return TaskResult(task_id=task.task_id, workflow_instance_id=id, status="COMPLETED", output_data={"n": 1})


@check("bulk: operates on many executions at once")
def bulk_operations():
    name = defined(entry("WAIT", "w"))
    ids = [workflows.start_workflow_by_name(name, {}) for _ in range(2)]
    unknown = "00000000-0000-7000-8000-000000000000"
    statuses = lambda: [status_of(id) for id in ids]
    answer = bulk.pause_workflow([*ids, unknown])
    equal([answer.bulk_successful_results, list(answer.bulk_error_results)], [ids, [unknown]])
    equal(statuses(), ["PAUSED", "PAUSED"])
    bulk.resume_workflow(ids)
    equal(statuses(), ["RUNNING", "RUNNING"])
    bulk.terminate(ids, reason="enough")
    equal(statuses(), ["TERMINATED", "TERMINATED"])
    bulk.restart(ids)
    equal(statuses(), ["RUNNING", "RUNNING"])
    bulk.terminate(ids)
    bulk.retry(ids)
    equal(statuses(), ["RUNNING", "RUNNING"])


@check("tasks: polls, logs and updates")
def tasks_update():
    task_type = a_name("polled")
    name = defined(simple(task_type, "t"))
    ids = [workflows.start_workflow_by_name(name, {}) for _ in range(5)]
    equal(task_api.size(task_type=[task_type]), {task_type: 5})
    equal(task_api.all()[task_type], 5)
    equal(registry.get_queue_sizes_for_all_tasks()[task_type], 5)
    first = task_api.poll(task_type, workerid="me")
    (second,) = task_api.batch_poll(task_type, workerid="me", count=1, timeout=100)
    task_api.log("one line", first.task_id)
    equal([line.log for line in task_api.get_task_logs(first.task_id)], ["one line"])
    equal([data.worker_id for data in task_api.get_poll_data(task_type)], ["me"])
    equal(bool(task_api.get_all_poll_data()), True)
    equal(task_api.update_task(done(first)), first.task_id)
    equal(task_api.get_task(first.task_id).status, "COMPLETED")
    following = task_api.update_task_v2(done(second))
    equal([following.workflow_instance_id, following.status], [ids[2], "IN_PROGRESS"])
    task_api.update_task1({"b": 2}, ids[3], "t", "COMPLETED")
    equal(ended(ids[3]).output, {"b": 2})
    equal(task_api.update_task_sync({"c": 3}, ids[4], "t", "COMPLETED").output, {"c": 3})
    task_api.requeue_pending_task(task_type)


@check("tasks: searches, and says where large payloads go")
def tasks_search():
    name = defined(simple("py_nobody_polls", "t"))
    id = workflows.start_workflow_by_name(name, {})
    query = f"workflowType='{name}'"
    equal([task.workflow_id for task in task_api.search1(query=query).results], [id])
    equal([task.workflow_instance_id for task in task_api.search_v21(query=query).results], [id])
    location = task_api.get_external_storage_location1("p", "WRITE", "TASK_OUTPUT")
    equal([location.uri.startswith("http"), bool(location.path)], [True, True])


@check("tasks: signals")
def tasks_signal():
    id = started(entry("WAIT", "first"), entry("WAIT", "second"))
    task_api.signal_workflow_task_async(id, "COMPLETED", {"a": 1})
    answer = task_api.signal_workflow_task_sync(id, "COMPLETED", {"b": 2})
    equal(answer.target_workflow_status, "COMPLETED")
    equal([task.output_data for task in ended(id).tasks], [{"a": 1}, {"b": 2}])


@check("tasks: polls and updates without blocking")
def tasks_async():
    task_type = a_name("async")
    name = defined(simple(task_type, "t"))
    ids = [workflows.start_workflow_by_name(name, {}) for _ in range(2)]

    async def work():
        async_api = AsyncTaskResourceApi(AsyncApiClient(configuration))
        first, second = await async_api.batch_poll(task_type, workerid="me", count=2, timeout=100)
        await async_api.update_task(done(first))
        await async_api.update_task_v2(done(second))

    asyncio.run(work())
    equal([ended(id).output for id in ids], [{"n": 1}, {"n": 1}])


@check("workflow: starts, executes and tries out")
def workflow_starts():
    name = defined(simple("py_mocked", "t"))
    id = workflow_api.start_workflow(StartWorkflowRequest(name=name, input={"k": 1}))
    equal(workflow_api.get_execution_status(id, include_tasks=True).input, {"k": 1})
    other = workflow_api.start_workflow1({"k": 2}, name, correlation_id="c")
    equal(workflow_api.get_execution_status(other).correlation_id, "c")
    instant = defined(entry("SET_VARIABLE", "set", {"x": 1}))
    request = StartWorkflowRequest(name=instant, version=1, input={})
    run = workflow_api.execute_workflow(request, "r", instant, 1)
    equal([run.status, run.request_id], ["COMPLETED", "r"])
    answer = workflow_api.execute_workflow_with_return_strategy(request, instant, 1)
    equal(answer.target_workflow_status, "COMPLETED")
    mocks = {"t": [{"status": "COMPLETED", "output": {"y": 1}}]}
    tried = workflow_api.test_workflow({"name": name, "version": 1, "input": {}, "taskRefToMockOutput": mocks})
    equal([tried.status, tried.output], ["COMPLETED", {"y": 1}])


@check("workflow: finds executions")
def workflow_finds():
    name = defined(entry("WAIT", "w"))
    id = workflows.start_workflow_by_name(name, {}, correlationId=name)
    ids = lambda runs: [run.workflow_id for run in runs]
    equal(workflow_api.get_running_workflow(name), [id])
    equal(workflow_api.get_workflow_status_summary(id).status, "RUNNING")
    equal(ids(workflow_api.get_workflows([name], name)[name]), [id])
    equal(ids(workflow_api.get_workflows2(name, name)), [id])
    request = {"correlationIds": [name], "workflowNames": [name]}
    equal(ids(workflow_api.get_workflows_batch(request)[name]), [id])
    equal(ids(workflow_api.get_workflows_by_correlation_id_in_batch(request)[name]), [id])
    equal(ids(workflow_api.search(query=f"workflowType='{name}'").results), [id])


@check("workflow: operates on executions")
def workflow_operates():
    id = started(entry("WAIT", "w"), simple(a_task_type(), "t"))
    for pause, resume in (
        (workflow_api.pause_workflow, workflow_api.resume_workflow),
        (workflow_api.pause_workflow1, workflow_api.resume_workflow1),
    ):
        pause(id)
        equal(status_of(id), "PAUSED")
        resume(id)
        equal(status_of(id), "RUNNING")
    workflow_api.decide(id)
    workflow_api.reset_workflow(id)
    workflow_api.skip_task_from_workflow(id, "t", {})
    for terminate, again in (
        (workflow_api.terminate, workflow_api.retry),
        (workflow_api.terminate1, workflow_api.retry1),
        (workflow_api.terminate, workflow_api.restart),
        (workflow_api.terminate, workflow_api.restart1),
    ):
        terminate(id)
        equal(status_of(id), "TERMINATED")
        again(id)
        equal(status_of(id), "RUNNING")
    workflow_api.terminate(id)
    equal(workflow_api.rerun(RerunWorkflowRequest(workflow_input={"k": 2}), id), id)
    equal(workflows.get_workflow(id).input, {"k": 2})
    workflow_api.terminate(id)
    workflow_api.delete(id)
    equal(refused(lambda: workflows.get_workflow(id))[0], 404)


@check("workflow: sets variables, ends a task, and goes on with another version")
def workflow_state():
    name = defined(entry("WAIT", "w"))
    id = workflows.start_workflow_by_name(name, {})
    equal(workflow_api.update_workflow_state({"x": 1}, id).variables, {"x": 1})
    second = WorkflowDef(name=name, version=2, tasks=[entry("WAIT", "w"), entry("WAIT", "added")])
    metadata.register_workflow_def(second)
    workflow_api.upgrade_running_workflow_to_version({"name": name, "version": 2}, id)
    update = {"taskReferenceName": "w", "taskResult": {"status": "COMPLETED"}, "variables": {"y": 2}}
    run = workflow_api.update_workflow_and_task_state(update, id, wait_for_seconds=5)
    equal([run.status, run.variables], ["RUNNING", {"x": 1, "y": 2}])
    found = workflows.get_workflow(id)
    equal([found.workflow_version, refs(found)], [2, [["w", "COMPLETED"], ["added", "IN_PROGRESS"]]])
    workflow_api.jump_to_task({}, id, task_reference_name="w")
    equal(refs(workflows.get_workflow(id))[-1], ["w", "IN_PROGRESS"])


@check("schedules: previews a cron expression")
def next_times():
    start = 1893456000000
    times = [start, start + 86400000]
    equal(schedules.get_next_few_schedule_execution_times("0 0 0 * * *", start, limit=2), times)
    equal(schedule_api.get_next_few_schedules("@daily", schedule_start_time=start, limit=2), times)
    equal(len(schedules.preview_next("0 0 0 * * *")), 5)


def a_schedule(name, cron="0 0 0 1 1 *") -> SaveScheduleRequest:
    request = StartWorkflowRequest(name=defined(entry("NOOP", "n")), input={"from": "python"})
    return SaveScheduleRequest(name=name, cron_expression=cron, start_workflow_request=request)


@check("schedules: saves, reads, pauses, resumes and deletes")
def saves_schedules():
    name = a_name("schedule")
    request = a_schedule(name)
    schedules.save_schedule(request)
    saved = schedules.get_schedule(name)
    equal([saved.name, saved.cron_expression, saved.paused], [name, "0 0 0 1 1 *", False])
    workflow = request.start_workflow_request.name
    schedules.pause_schedule(name, reason="holiday")
    equal([one.paused for one in schedules.get_all_schedules(workflow)], [True])
    schedules.resume_schedule(name)
    equal(schedules.get_schedule(name).paused, False)
    schedules.pause(name, "again")
    schedules.resume(name)
    schedules.delete_schedule(name)
    equal(refused(lambda: schedules.get_schedule(name)), [404, f"Schedule '{name}' not found"])
    schedules.delete(name)


@check("schedules: finds what came of them")
def runs_of_schedules():
    name = a_name("schedule")
    schedules.save_schedule(a_schedule(name, "* * * * * *"))
    query = f"scheduleName IN ({name})"
    find = lambda: schedules.search_schedule_executions(size=10, sort="startTime:DESC", query=query).results
    found = eventually(lambda: next(iter(find()), None))
    schedules.delete_schedule(name)
    equal([found.schedule_name, found.state], [name, "EXECUTED"])
    equal(ended(found.workflow_id).input["_startedByScheduler"], name)


@check("schedules: tags them")
def tags_of_schedules():
    name = a_name("schedule")
    schedules.save_schedule(a_schedule(name))
    tag = MetadataTag("team", "red")
    schedules.set_scheduler_tags([tag], name)
    equal([(one.key, one.value) for one in schedules.get_scheduler_tags(name)], [("team", "red")])
    schedules.delete_scheduler_tags([tag], name)
    equal(schedules.get_scheduler_tags(name), [])


@check("schedules: holds the scheduler of a server")
def holds():
    schedules.pause_all_schedules()
    schedules.resume_all_schedules()
    schedules.requeue_all_execution_records()


@check("schedules: keeps those of an agent as they are declared")
def reconciles():
    agent = defined(entry("NOOP", "n"))
    daily = Schedule(name="daily", cron="0 0 0 * * *", input={"a": 1})
    schedules.reconcile(agent, [daily, Schedule(name="other", cron="0 0 0 * * *")])
    schedules.reconcile(agent, [daily])
    saved = schedules.get_all_schedules(agent)
    equal([one.name for one in saved], [f"{agent}-daily"])
    info = schedule_info(saved[0], agent)
    equal(ended(schedules.run_now(info)).input, {"a": 1})
    try:
        schedules.reconcile(agent, [Schedule(name="bad", cron="0 0 25 * * *")])
    except InvalidCronExpression:
        return
    raise AssertionError("Expected the cron expression to be refused")


@check("schedules: the class below the client")
def schedule_class():
    name = a_name("schedule")
    request = a_schedule(name)
    schedule_api.save_schedule(request)
    schedule_api.pause_schedule(name, reason="holiday")
    schedule_api.resume_schedule(name)
    equal(schedule_api.get_schedule(name).paused, False)
    equal([one.name for one in schedule_api.get_all_schedules(workflow_name=request.start_workflow_request.name)], [name])
    equal(schedule_api.search_v21(query=name).total_hits, 0)
    schedule_api.put_tag_for_schedule([MetadataTag("a", "b")], name)
    equal(len(schedule_api.get_tags_for_schedule(name)), 1)
    schedule_api.delete_tag_for_schedule([MetadataTag("a", "b")], name)
    schedule_api.pause_all_schedules()
    schedule_api.resume_all_schedules()
    schedule_api.requeue_all_execution_records()
    schedule_api.delete_schedule(name)


@check("workflows: pushes a message")
def pushes():
    id = started(entry("PULL_WORKFLOW_MESSAGES", "p"))
    sent = workflow_api.send_workflow_message({"n": 1}, id)
    equal(ended(id).output["messages"][0]["id"], sent)


@check("events: keeps handlers")
def event_handlers():
    name = a_name("handler")
    event = f"conductor:{name}"
    action = Action(action="start_workflow", start_workflow=StartWorkflow(name="x"))
    handler = EventHandler(name=name, event=event, active=True, actions=[action])
    event_api.add_event_handler(handler)
    found = lambda **more: [one.name for one in event_api.get_event_handlers_for_event(event, **more)]
    equal(found(), [name])
    handler.active = False
    event_api.update_event_handler(handler)
    equal([found(active_only=True), found(active_only=False)], [[], [name]])
    equal(name in [one.name for one in event_api.get_event_handlers()], True)
    event_api.remove_event_handler_status(name)
    equal(found(active_only=False), [])


@check("metadata: keeps task definitions")
def metadata_tasks():
    name = a_name("def")
    metadata_api.register_task_def([TaskDef(name=name, retry_count=1)])
    metadata_api.update_task_def(TaskDef(name=name, retry_count=2))
    equal(metadata_api.get_task_def(name).retry_count, 2)
    equal(name in [found.name for found in metadata_api.get_task_defs()], True)
    metadata_api.unregister_task_def(name)
    equal(refused(lambda: metadata_api.get_task_def(name))[0], 404)


@check("metadata: keeps workflow definitions")
def metadata_workflows():
    name = a_name("def")
    metadata_api.create(WorkflowDef(name=name, version=1, tasks=[simple("a", "a")]))
    metadata_api.update1([WorkflowDef(name=name, version=2, tasks=[simple("a", "a")])])
    equal(metadata_api.get(name).version, 2)
    equal(len([found for found in metadata_api.get_all_workflows() if found.name == name]), 2)
    metadata_api.unregister_workflow_def(name, 2)
    equal(metadata_api.get(name).version, 1)


@check("tags: of definitions, and all that are in use")
def tags():
    task = a_task_type()
    name = defined(simple(task, "t"))
    value = a_name("value")
    pairs = lambda found: [[tag.key, tag.value] for tag in found]
    tags_api.add_task_tag(MetadataTag("a", "1"), task)
    equal(pairs(tags_api.get_task_tags(task)), [["a", "1"]])
    tags_api.set_task_tags([MetadataTag("b", value), MetadataTag("c", "3")], task)
    tags_api.delete_task_tag(MetadataTag("c", "3"), task)
    equal(pairs(tags_api.get_task_tags(task)), [["b", value]])
    tags_api.add_workflow_tag(MetadataTag("a", "1"), name)
    equal(pairs(tags_api.get_workflow_tags(name)), [["a", "1"]])
    tags_api.set_workflow_tags([MetadataTag("d", value), MetadataTag("e", "3")], name)
    tags_api.delete_workflow_tag(MetadataTag("e", "3"), name)
    equal(pairs(tags_api.get_workflow_tags(name)), [["d", value]])
    in_use = pairs(tags_api.get_tags1())
    equal([["b", value] in in_use, ["d", value] in in_use], [True, True])


run_checks()
