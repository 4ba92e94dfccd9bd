import { useEffect, useState } from "react";
import { useCronTimes } from "../../api/schedules.ts";
import { cronWords } from "../../lib/cron-words.ts";
import { formatTime } from "../../lib/format.ts";
import type { CronTime } from "./form.ts";

const TYPING_MS = 300;
const SHOWN = 3;

/** What an expression means: in words, and its next times in its own zone. */
export function CronPreview({ time }: { readonly time: CronTime }) {
  const settled = useSettled(time);
  const { data, error } = useCronTimes(settled.cronExpression, settled.zoneId);
  const words = cronWords(time.cronExpression);
  return (
    <p className="mt-1 text-xs" aria-live="polite">
      {error !== null ? (
        <span className="text-bad">{error.message}</span>
      ) : (
        <>
          {words !== undefined && <span className="text-ink">{words}. </span>}
          <span className="text-soft">
            {data?.length === 0
              ? "It never fires"
              : data !== undefined &&
                `Next: ${data
                  .slice(0, SHOWN)
                  .map((at) => formatTime(at, settled.zoneId))
                  .join(", ")}`}
          </span>
        </>
      )}
    </p>
  );
}

/** What is typed, when the typing pauses. */
function useSettled(time: CronTime): CronTime {
  const [settled, setSettled] = useState(time);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(time), TYPING_MS);
    return () => clearTimeout(timer);
  }, [time]);
  return settled;
}
