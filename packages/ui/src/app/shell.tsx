import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { BookOpen, PanelLeftClose, PanelLeftOpen, Search } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../components/button.tsx";
import { ErrorBoundary } from "../components/error-boundary.tsx";
import { Toasts } from "../components/toasts.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { Logo } from "./logo.tsx";
import { type NavigationItem, navigation } from "./navigation.ts";
import { setPreferences, usePreferences } from "./preferences.ts";
import { PreferencesMenu } from "./preferences-menu.tsx";
import { useShortcuts } from "./shortcuts.ts";

/** What every page stands in: the sidebar, the palette, messages. */
export function Shell() {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useShortcuts(() => setPaletteOpen(true));
  return (
    <div className="flex h-full">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-accent focus:px-3 focus:py-1.5 focus:text-on-accent"
      >
        Skip to content
      </a>
      <Sidebar onSearch={() => setPaletteOpen(true)} />
      <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col overflow-hidden outline-none">
        <ErrorBoundary resetKey={pathname}>
          <Outlet />
        </ErrorBoundary>
      </main>
      <CommandPalette isOpen={isPaletteOpen} onClose={() => setPaletteOpen(false)} />
      <Toasts />
    </div>
  );
}

function Sidebar({ onSearch }: { readonly onSearch: () => void }) {
  const { isSidebarNarrow: isNarrow } = usePreferences();
  const sections = Map.groupBy(navigation, ({ section }) => section);
  return (
    <nav
      aria-label="Main"
      className={`flex shrink-0 flex-col border-r border-line bg-surface ${isNarrow ? "w-13" : "w-52"}`}
    >
      <div className={`flex h-13 items-center ${isNarrow ? "justify-center" : "gap-2 px-3.5"}`}>
        <Link to="/" aria-label="Downbeat, overview" className="flex items-center gap-2 rounded">
          <Logo />
          {!isNarrow && <span className="text-base font-bold tracking-tight">Downbeat</span>}
        </Link>
      </div>
      <div className="px-2 pb-2">
        <button
          type="button"
          onClick={onSearch}
          {...(isNarrow ? { "aria-label": "Find" } : {})}
          className={`flex h-8 w-full items-center gap-2 rounded-md border border-line bg-sunken px-2 text-sm text-faint hover:border-line-strong ${isNarrow ? "justify-center" : ""}`}
        >
          <Search className="size-4 shrink-0" />
          {!isNarrow && (
            <>
              <span>Find</span>
              <kbd className="ml-auto rounded border border-line bg-surface px-1 font-sans text-2xs">Ctrl K</kbd>
            </>
          )}
        </button>
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-2">
        {[...sections].map(([section, items]) => (
          <div key={section} className="flex flex-col gap-0.5">
            {!isNarrow && <p className="px-2 pt-1 pb-0.5 text-2xs font-semibold text-faint">{section}</p>}
            {items.map((item) => (
              <SidebarLink key={item.to} item={item} isNarrow={isNarrow} />
            ))}
          </div>
        ))}
      </div>
      <div className={`flex items-center gap-0.5 border-t border-line p-2 ${isNarrow ? "flex-col" : ""}`}>
        <PreferencesMenu />
        <a
          href="/docs/api"
          aria-label="API reference"
          title="API reference"
          className="inline-flex size-7 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
        >
          <BookOpen className="size-4" />
        </a>
        <IconButton
          label={isNarrow ? "Widen the sidebar" : "Narrow the sidebar"}
          className={isNarrow ? "" : "ml-auto"}
          onClick={() => setPreferences({ isSidebarNarrow: !isNarrow })}
        >
          {isNarrow ? <PanelLeftOpen /> : <PanelLeftClose />}
        </IconButton>
      </div>
    </nav>
  );
}

function SidebarLink({ item, isNarrow }: { readonly item: NavigationItem; readonly isNarrow: boolean }) {
  const { to, label, icon: Icon, key } = item;
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      title={`${label} (g ${key})`}
      aria-label={label}
      className={`flex h-8 items-center gap-2.5 rounded-md px-2 text-sm font-medium text-soft hover:bg-hover hover:text-ink data-[status=active]:bg-selected data-[status=active]:text-accent-ink ${isNarrow ? "justify-center" : ""}`}
    >
      <Icon className="size-4 shrink-0" />
      {!isNarrow && label}
    </Link>
  );
}
