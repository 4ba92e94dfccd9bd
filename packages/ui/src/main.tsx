import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client.ts";
import { watchPreferences } from "./app/preferences.ts";
import { router } from "./app/router.tsx";
import "./app/theme.css";

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

const MOST_RETRIES = 2;

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // What is on screen is kept current by event streams, not by age.
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) =>
        error instanceof ApiError && error.body?.retryable === true && failures < MOST_RETRIES,
    },
  },
});

watchPreferences();

const root = document.getElementById("root");
if (root === null) throw new Error('Expected an element with the id "root" in index.html');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
