import { SwitchedOff } from "../../components/switched-off.tsx";

/** What stands where files would. */
export const FilesOff = () => (
  <SwitchedOff what="Files are" setting="service.file-storage.enabled">
    <p>Workers upload files and pass their handles on; what is large need not go through inputs and outputs.</p>
  </SwitchedOff>
);
