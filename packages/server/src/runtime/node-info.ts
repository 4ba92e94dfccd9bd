import { performance } from "node:perf_hooks";
import type { LastPoll } from "./poll-data.ts";

/** What a node says of itself, at every heartbeat. */
export type NodeInfo = {
  readonly startTime: number;
  /** Share of the time its event loop was busy since the last heartbeat. */
  readonly load: number;
  /** Shares of a core it used since the last heartbeat, all threads together. */
  readonly cpu: number;
  readonly memoryBytes: number;
  /** Who polled here lately: the others must know which domains have workers. */
  readonly polls: readonly LastPoll[];
};

/** Measures this process from one question to the next. */
export class NodeMeter {
  readonly #startTime = Date.now();
  #loop = performance.eventLoopUtilization();
  #cpu = process.cpuUsage();
  #at = performance.now();

  read(polls: readonly LastPoll[]): NodeInfo {
    const now = performance.now();
    const loop = performance.eventLoopUtilization();
    const { user, system } = process.cpuUsage(this.#cpu);
    const busyMs = (user + system) / 1000;
    const info = {
      startTime: this.#startTime,
      load: toShare(performance.eventLoopUtilization(loop, this.#loop).utilization),
      cpu: toShare(busyMs / Math.max(1, now - this.#at)),
      memoryBytes: process.memoryUsage.rss(),
      polls,
    };
    this.#loop = loop;
    this.#cpu = process.cpuUsage();
    this.#at = now;
    return info;
  }
}

export const readNodeInfo = (text: string): Partial<NodeInfo> => JSON.parse(text) as Partial<NodeInfo>;

const toShare = (value: number): number => Math.round(value * 100) / 100;
