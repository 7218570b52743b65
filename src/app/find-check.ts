import { type Settings, toFoundGate } from '../config/index.ts';
import { detectQualityCommand, type GateCheck, type QualityCommand } from '../core/index.ts';
import { findProgram, openProjectFolder } from '../process/index.ts';
import { toPlainLine } from '../views/index.ts';

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

/** A configuration with the gate that Ralph found, if any. */
export interface SoughtGate {
  readonly settings: Settings;
  /** The command that would prove the work and whose program is not there; `null` for none. */
  readonly missing: QualityCommand | null;
}

/**
 * Settings in which the command that runs the project's tests is a required gate, where no gates are declared: nobody needs to configure anything for
 * completions to be checked. It stands for the whole run, as {@link withFoundChecks} says. A command whose program is not installed would refuse everything.
 */
export function withFoundGate(settings: Settings, { cwd, env }: RunPlace): SoughtGate {
  const found = settings.seeksGate === true ? detectQualityCommand('tests', openProjectFolder(cwd)) : null;
  if (found === null) return { settings, missing: null };
  const [program = ''] = found.command.split(' ');
  if (findProgram(program, cwd, env['PATH']) === null) return { settings, missing: found };
  const { spec } = settings;
  return { settings: { ...settings, spec: { ...spec, gates: [toFoundGate(found, settings), ...spec.gates] } }, missing: null };
}

interface RunPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a person is told where the proving command cannot be run. */
export function toMissingWarnings({ missing }: SoughtGate): readonly string[] {
  if (missing === null) return [];
  const [program = ''] = missing.command.split(' ');
  return [
    `\`${missing.command}\` (${toPlainLine(missing.from, 100)}) would prove the work, but ${program} is not on the PATH: no gate checks it. Install ${program}, or name another command under \`gates\`.`,
  ];
}
