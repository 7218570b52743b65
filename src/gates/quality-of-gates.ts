import { GATE_CHECKS, type GateCheck, type GateSpec } from '../core/gates/gate-spec.ts';

/** What people call the gates that do a check. */
const NAMES: Readonly<Record<GateCheck, RegExp>> = {
  tests: /^(?:unit[ -]?)?tests?$/i,
  lint: /^lint(?:er|ing)?$/i,
  build: /^build$/i,
  typecheck: /^(?:type-?[ ]?check|types|tsc)$/i,
};
/** A script or target of the usual name, in a line that does nothing else. */
const USUAL_LINE = /^(?:npm|pnpm|yarn|bun|make|just|cargo|go|deno)(?: run)? (test|lint|build|typecheck)(?: [^;&|]*)?$/;

/** The command lines by which the gates do the checks of a project: by what the gate asks for, its name, or a line that tells by itself. */
export function toQualityOfGates(gates: readonly GateSpec[]): Readonly<Partial<Record<GateCheck, string>>> {
  const usable = gates.filter(({ protect, check, run }) => protect === undefined && run.trim() !== '' && run !== check);
  const find = (kind: GateCheck): string | undefined =>
    (
      usable.find(({ check }) => check === kind) ??
      usable.find(({ check, name }) => check === undefined && name !== undefined && NAMES[kind].test(name.trim())) ??
      usable.find(({ check, run }) => check === undefined && toKind(run) === kind)
    )?.run;
  return Object.fromEntries(GATE_CHECKS.flatMap((kind) => (find(kind) === undefined ? [] : [[kind, find(kind)]])));
}

function toKind(line: string): GateCheck | undefined {
  const word = USUAL_LINE.exec(line.trim())?.[1];
  return word === 'test' ? 'tests' : GATE_CHECKS.find((kind) => kind === word);
}
