/** In the environment of each agent process, so that whatever it starts carries it too, in any session or group. */
export const MARK_VARIABLE = "HALL_PROCESS";

/** The mark of one agent process: `<state id>.<number>`. No two processes of a state directory share one. */
export const markOf = (state: string, number: number): string => `${state}.${number}`;
