import type { Settings } from '../config/index.ts';
import { detectQualityCommand, type GateCheck } from '../core/index.ts';
import { openProjectFolder } from '../process/index.ts';

/** How the project does a check, as its files say now; `null` where they tell nothing. */
export function findCheck(cwd: string, check: GateCheck): string | null {
  return detectQualityCommand(check, openProjectFolder(cwd))?.command ?? null;
}

/**
 * Settings in which gates on a check (`run: tests`) have the command that the project's files name. It stands for the whole run, so that no agent
 * chooses another one by writing a file; what is not known yet is looked for when the gate is first run.
 */
export function withFoundChecks(settings: Settings, cwd: string): Settings {
  const { spec } = settings;
  if (spec.gates.every(({ check }) => check === undefined)) return settings;
  const gates = spec.gates.map((gate) => (gate.check === undefined ? gate : { ...gate, run: findCheck(cwd, gate.check) ?? gate.check }));
  return { ...settings, spec: { ...spec, gates } };
}
