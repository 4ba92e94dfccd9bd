"""Checks of OrkesMetadataClient."""

from conductor.client.configuration.configuration import Configuration
from conductor.client.configuration.settings.authentication_settings import AuthenticationSettings
from conductor.client.http.models.task_def import TaskDef
from conductor.client.http.models.workflow_def import WorkflowDef
from conductor.client.orkes.models.metadata_tag import MetadataTag
from conductor.client.orkes_clients import OrkesClients
from python_checks import (
    a_name,
    a_task_type,
    check,
    configuration,
    defined,
    equal,
    metadata,
    refused,
    run_checks,
    simple,
)


@check("registers, reads, changes and removes task definitions")
def task_definitions():
    name = a_name("def")
    metadata.register_task_def(TaskDef(name=name, retry_count=2, response_timeout_seconds=30, timeout_seconds=60))
    equal(metadata.get_task_def(name).retry_count, 2)
    metadata.update_task_def(TaskDef(name=name, retry_count=4, response_timeout_seconds=30, timeout_seconds=60))
    equal(metadata.get_task_def(name).retry_count, 4)
    equal([task.name for task in metadata.get_all_task_defs() if task.name == name], [name])
    metadata.unregister_task_def(name)
    equal(refused(lambda: metadata.get_task_def(name)), [404, f"No such taskType found by name: {name}"])


@check("registers, reads, replaces and removes workflow definitions")
def workflow_definitions():
    name = a_name("def")
    metadata.register_workflow_def(WorkflowDef(name=name, version=1, tasks=[simple("py_def", "t")]))
    second = WorkflowDef(name=name, version=2, tasks=[simple("py_def", "t")])
    metadata.register_workflow_def(second)
    second.description = "changed"
    metadata.update_workflow_def(second)
    latest = metadata.get_workflow_def(name)
    equal([latest.version, latest.description], [2, "changed"])
    equal(metadata.get_workflow_def(name, version=1).version, 1)
    equal(sorted(found.version for found in metadata.get_all_workflow_defs() if found.name == name), [1, 2])
    metadata.unregister_workflow_def(name, 2)
    equal(metadata.get_workflow_def(name).version, 1)


@check("says what is missing, and what is there already, in the server's words")
def refusals():
    name = defined(simple("py_def", "t"))
    missing = refused(lambda: metadata.get_workflow_def("py_nobody"))
    equal(missing, [404, "No such workflow found by name: py_nobody, version: null"])
    again = WorkflowDef(name=name, version=1, tasks=[simple("py_def", "t")])
    status, message = refused(lambda: metadata.register_workflow_def(again, overwrite=False))
    equal([status, "already exists" in message], [409, True])


@check("tags workflow definitions")
def workflow_tags():
    name = defined(simple("py_def", "t"))
    tags = lambda: [[tag.key, tag.value] for tag in metadata.get_workflow_tags(name)]
    metadata.add_workflow_tag(MetadataTag("team", "blue"), name)
    metadata.add_workflow_tag(MetadataTag("stage", "test"), name)
    equal(tags(), [["team", "blue"], ["stage", "test"]])
    metadata.delete_workflow_tag(MetadataTag("team", "blue"), name)
    equal(tags(), [["stage", "test"]])
    metadata.set_workflow_tags([MetadataTag("only", "one")], name)
    equal(tags(), [["only", "one"]])


@check("tags task definitions")
def task_tags():
    name = a_task_type()
    tags = lambda: [[tag.key, tag.value] for tag in metadata.getTaskTags(name)]
    metadata.addTaskTag(MetadataTag("team", "red"), name)
    equal(tags(), [["team", "red"]])
    metadata.setTaskTags([MetadataTag("a", "1"), MetadataTag("b", "2")], name)
    metadata.deleteTaskTag(MetadataTag("a", "1"), name)
    equal(tags(), [["b", "2"]])


@check("goes on without a token when it has keys, since an open server gives none")
def keys():
    name = defined(simple("py_def", "t"))
    keys = AuthenticationSettings(key_id="id", key_secret="secret")
    with_keys = OrkesClients(Configuration(server_api_url=configuration.host, authentication_settings=keys))
    equal(with_keys.get_metadata_client().get_workflow_def(name).name, name)


run_checks()
