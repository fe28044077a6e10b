import type { Clock } from "../ground/clock.ts";
import type { Client } from "./client.ts";
import type { HallProcess } from "./hall-process.ts";
import type { Painter } from "./painter.ts";
import type { Tempo } from "./tempo.ts";

/** What is there for an act to play with. */
export interface Scenery {
  hall: HallProcess;
  painter: Painter;
  clock: Clock;
  tempo: Tempo;
  /** The folder that sessions are about. */
  cwd: string;
  /** A new connection to the hall, initialized. */
  connect(): Promise<Client>;
}

/** One thing that a hall does, shown. */
export interface Act {
  title: string;
  /** What will be seen, and what it means for whoever works so. */
  caption: string;
  play(scenery: Scenery): Promise<void>;
}
