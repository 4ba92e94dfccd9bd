import { PageHeader } from "../../components/page-header.tsx";

/** How the server is doing. */
export function OverviewPage() {
  return <PageHeader title="Overview" />;
}
