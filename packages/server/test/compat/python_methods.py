"""Prints, as one JSON object, the public methods of the classes of the Python client that speak to a server."""

import importlib
import inspect
import json
import pkgutil

import conductor.client.http.api as api
import conductor.client.workflow.task as task_package
from conductor.client.automator.task_handler import TaskHandler
from conductor.client.configuration.configuration import Configuration
from conductor.client.context.task_context import TaskContext
from conductor.client.event.event_client import EventClient
from conductor.client.orkes.api.tags_api import TagsApi
from conductor.client.orkes.orkes_service_registry_client import OrkesServiceRegistryClient
from conductor.client.orkes_clients import OrkesClients
from conductor.client.workflow.conductor_workflow import ConductorWorkflow
from conductor.client.workflow.task.task import TaskInterface


def public(found: type) -> list:
    names = (name for name in dir(found) if not name.startswith("_") and not name.endswith("_with_http_info"))
    return sorted(name for name in names if callable(getattr(found, name)))


def classes_of(package) -> list:
    names = [f"{package.__name__}.{entry.name}" for entry in pkgutil.iter_modules(package.__path__)]
    return [
        found
        for module in map(importlib.import_module, names)
        for _, found in inspect.getmembers(module, inspect.isclass)
        if found.__module__ == module.__name__
    ]


clients = OrkesClients(Configuration(server_api_url="http://127.0.0.1:9/api"))
getters = [name for name in dir(clients) if name.startswith("get_")]
reached = [type(getattr(clients, getter)()) for getter in getters]
others = [OrkesServiceRegistryClient, EventClient, ConductorWorkflow, TaskHandler, TaskContext, TagsApi]
apis = [found for found in classes_of(api) if found.__name__.endswith("Api")]
methods = {found.__name__: public(found) for found in [*reached, *others, *apis]}
methods["OrkesClients"] = getters
llm_tasks = importlib.import_module("conductor.client.workflow.task.llm_tasks")
methods["Task classes"] = sorted(
    {
        found.__name__
        for package in (task_package, llm_tasks)
        for found in classes_of(package)
        if issubclass(found, TaskInterface) and found is not TaskInterface
    }
)
print(json.dumps(methods, indent=1))
