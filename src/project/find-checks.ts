import { toFoundGate } from '../config/compile/compile-gates.ts';
import type { Settings } from '../config/settings.ts';
import { GATE_CHECKS, type GateCheck, type GateSpec, isRequiredGate } from '../core/gates/gate-spec.ts';
import { detectQualityCommand } from '../core/project/detect-quality-command.ts';
import type { ProjectFolder, QualityCommand } from '../core/project/package-scripts.ts';
import type { Environment } from '../core/values/environment.ts';
import { findProgram } from '../process/isolation.ts';
import { openProjectFolder } from '../process/open-project-folder.ts';
import { toPlainLine } from '../views/text/plain-text.ts';

/** How the project does a check, as its files say now; `null` where they tell nothing. */
export function findCheck(cwd: string, check: GateCheck): string | null {
  return findCheckCommand(cwd, check)?.command ?? null;
}

/** The same with the file that says it. Nothing is started, and no text of theirs is used. */
export function findCheckCommand(cwd: string, check: GateCheck): QualityCommand | null {
  return detectQualityCommand(check, openProjectFolder(cwd));
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
export function withFoundGate(settings: Settings, { cwd, env }: ProjectPlace): SoughtGate {
  const found = settings.seeksGate === true ? findCheckCommand(cwd, 'tests') : null;
  if (found === null) return { settings, missing: null };
  const [program = ''] = found.command.split(' ');
  if (findProgram(program, cwd, env['PATH']) === null) return { settings, missing: found };
  const { spec } = settings;
  return { settings: { ...settings, spec: { ...spec, gates: [toFoundGate(found, settings), ...spec.gates] } }, missing: null };
}

interface ProjectPlace {
  readonly cwd: string;
  readonly env: Environment;
}

/** What a person is told where the proving command, or that of a gate, cannot be run. */
export function toMissingWarnings({ settings, missing }: SoughtGate, { cwd, env }: ProjectPlace): readonly string[] {
  const { gates } = settings.spec;
  const absent = gates.flatMap((gate) => {
    // What is on the PATH here says nothing about a worker.
    const isHere = gate.protect === undefined && gate.runsOn === undefined;
    const program = isHere ? toProgram(gate.run) : null;
    return program === null || findProgram(program, cwd, env['PATH']) !== null ? [] : [{ gate, program }];
  });
  return [...toUnprovenWarnings(missing), ...absent.map(({ gate, program }) => toAbsentWarning(gate, program))];
}

function toAbsentWarning(gate: GateSpec, program: string): string {
  const command = toPlainLine(gate.run, 100);
  const what = gate.name === undefined ? `The gate \`${command}\`` : `The gate ${toPlainLine(gate.name, 60)} (\`${command}\`)`;
  const effect = isRequiredGate(gate) ? ' It will always fail, so no completion can pass.' : '';
  return `${what} cannot be run: ${program} is not on the PATH.${effect} Install ${program}, or name another command under \`gates\`.`;
}

/** What a POSIX shell does itself. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  'alias bg break case cd command continue declare echo eval exec exit export false fc fg for function getopts hash if jobs kill let local printf pwd read readonly return select set shift source test time times trap true type typeset ulimit umask unalias unset until wait while'.split(
    ' ',
  ),
);
const FIRST_PROGRAM = /^\s*(?:[A-Za-z_]\w*=[\w./:,-]*\s+)*([A-Za-z0-9][\w.+-]*)(?=\s|$)/;

/** The program that a shell line begins with; `null` where only a shell could tell, or a path leads to it: that may be what the run is to make. */
function toProgram(line: string): string | null {
  const program = FIRST_PROGRAM.exec(line)?.[1];
  return program === undefined || SHELL_WORDS.has(program) || /(?:^|\s)(?:export\s+)?PATH=/.test(line) ? null : program;
}

function toUnprovenWarnings(missing: QualityCommand | null): readonly string[] {
  if (missing === null) return [];
  const [program = ''] = missing.command.split(' ');
  return [
    `\`${missing.command}\` (${toPlainLine(missing.from, 100)}) would prove the work, but ${program} is not on the PATH: no gate checks it. Install ${program}, or name another command under \`gates\`.`,
  ];
}

/** The command lines that check a project, without doubles: those of its gates, and what its files name. */
export function findQualityCommands({ spec }: Pick<Settings, 'spec'>, folder: ProjectFolder): readonly string[] {
  const gates = spec.gates.filter((gate) => gate.check === undefined && gate.run !== '').map((gate) => gate.run);
  const found = GATE_CHECKS.flatMap((kind) => detectQualityCommand(kind, folder)?.command ?? []);
  return [...new Set([...found, ...gates])];
}
