import { Link } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { EmptyState } from "../components/empty-state.tsx";

export function NotFound() {
  return (
    <EmptyState icon={<Compass />} title="There is no page here">
      <p>
        Press <kbd className="mono">Ctrl K</kbd> to find what you are looking for, or go to the{" "}
        <Link to="/" className="text-accent-ink underline">
          overview
        </Link>
        .
      </p>
    </EmptyState>
  );
}
