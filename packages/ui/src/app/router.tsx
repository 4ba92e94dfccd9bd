import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { readExecutionSearch } from "../pages/execution/search.ts";
import { readExecutionsSearch } from "../pages/executions/search.ts";
import { NotFound } from "./not-found.tsx";
import { findMoved } from "./redirects.ts";
import { Shell } from "./shell.tsx";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  beforeLoad: ({ location }) => {
    const to = findMoved(location.pathname);
    if (to !== undefined) throw redirect({ to, replace: true });
  },
});

// A page is a folder in pages/ with its own chunk; what its URL may say is read by its `search.ts`.
const routes = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    component: lazyRouteComponent(() => import("../pages/overview/page.tsx"), "OverviewPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/executions",
    validateSearch: readExecutionsSearch,
    component: lazyRouteComponent(() => import("../pages/executions/page.tsx"), "ExecutionsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/executions/$id",
    validateSearch: readExecutionSearch,
    component: lazyRouteComponent(() => import("../pages/execution/page.tsx"), "ExecutionPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/jobs",
    component: lazyRouteComponent(() => import("../pages/jobs/page.tsx"), "JobsPage"),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: "intent",
  scrollRestoration: true,
});
