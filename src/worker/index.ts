/** Front door of `worker`: a process that takes turns, rounds and programs of a fleet and does them as a local run does. */
export { type WorkerOrder, workForFleet } from './work-for-fleet.ts';
