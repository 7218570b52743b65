import { RALPH } from '../../core/events/reserved.ts';
import { createNearMissFinder, type NearMissFinder } from '../../core/text/near-miss.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import type { Diagnostic, Path } from '../findings/located.ts';
import { toWordRepair } from '../keys/value-finding.ts';
import { findingAt, listHats, type RuleInput } from './rule.ts';

/** For how many findings the meant name is searched: among thousands of hats a search takes its time. */
const MAX_SEARCHES = 100;

/** Every hat that is named exists. */
export function checkHatReferences(input: RuleInput): readonly Diagnostic[] {
  const known = new Set(input.hatIds ?? []);
  const finder = createNearMissFinder(input.hatIds ?? [], MAX_SEARCHES);
  return listReferences(input)
    .filter(({ hat, orRalph }) => !known.has(hat) && !(orRalph && hat === RALPH))
    .map(({ path, hat }) => toUnknownHat(input, path, { hat, finder }));
}

interface Reference {
  readonly path: Path;
  readonly hat: string;
  readonly orRalph: boolean;
}

function listReferences(input: RuleInput): readonly Reference[] {
  const loop = input.declared.event_loop ?? {};
  const references: Reference[] = [];
  if (loop.starting_hat !== undefined) references.push({ path: ['event_loop', 'starting_hat'], hat: loop.starting_hat, orRalph: false });
  if (loop.recovery_hat !== undefined) references.push({ path: ['event_loop', 'recovery_hat'], hat: loop.recovery_hat, orRalph: false });
  (input.declared.gates ?? []).forEach(({ hats = [] }, gate) => {
    const path = [...input.toItemPath(['gates'], gate), 'hats'];
    hats.forEach((hat, index) => references.push({ path: input.toItemPath(path, index), hat, orRalph: true }));
  });
  for (const [id, hat] of listHats(input)) {
    (hat.transitions ?? []).forEach((other, index) => {
      references.push({ path: input.toItemPath(['hats', id, 'transitions'], index), hat: other, orRalph: true });
    });
    (hat.publishes ?? []).forEach(({ target }, index) => {
      if (target !== undefined)
        references.push({ path: [...input.toItemPath(['hats', id, 'publishes'], index), 'target'], hat: target, orRalph: true });
    });
  }
  return references;
}

function toUnknownHat(
  input: RuleInput,
  path: Path,
  { hat, finder }: { readonly hat: string; readonly finder: NearMissFinder },
): Diagnostic {
  const ids = input.hatIds ?? [];
  const near = finder.find(hat);
  return findingAt(input, path, {
    code: 'hat-unknown',
    severity: 'error',
    message: `There is no hat ${quote(hat)}${endWithMeant(near)}`,
    why: 'Nobody would get what is meant for it.',
    fix: ids.length === 0 ? 'Add the hat under `hats:`, or remove the line.' : `Name one of: ${ids.slice(0, 20).join(', ')}.`,
    ...(near === undefined ? {} : { repairs: [toWordRepair(near, finder.isOnly(hat, near))] }),
  });
}
