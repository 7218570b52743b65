import { comparePrecedence } from '../../core/events/topics.ts';
import type { FlowFinding, RelatedSubject } from '../../core/schema/finding.ts';
import { type ListFix, toHatsYaml, toLoopYaml } from '../analysis/fix-yaml.ts';
import { type FlowRule, UNCHECKED } from '../analysis/flow-rule.ts';
import type { Topology } from '../routing/compile-topology.ts';
import {
  addPattern,
  createPatternTrie,
  findRoutes,
  type PatternTrie,
  type Route,
  type RouteTable,
  type StepBudget,
  visitMeeting,
} from '../routing/compile-topology.ts';

/** So many pairs of different patterns are told of; more have the same cause. */
const MAX_OVERLAPS = 100;
const MAX_RELATED = 5;
const MAX_HATS = 100;
/** More triggers of one hat are not shown anyway. */
const MAX_LISTED = 50;
const STEPS = 2_000_000;
/** A word that no trigger has. */
const ANY_WORD = '\u0000';

interface TriggerClaim {
  readonly hat: string;
  readonly trigger: string;
}

/**
 * A topic goes to one hat. Two hats claim it where they have the same trigger, or patterns of the same precedence that
 * meet in a topic which no better trigger takes. Not under `fanout`, where all get it.
 */
export const checkAmbiguity: FlowRule = (topology) => {
  if (topology.coordination === 'solo' || topology.spec.routing === 'fanout') return [];
  const { exact, patterns } = topology.routes;
  return [...listShared(topology, exact), ...listShared(topology, patterns), ...listOverlaps(topology)];
};

function listShared(topology: Topology, routes: Pick<readonly Route[], 'forEach'> | RouteTable['exact']): readonly FlowFinding[] {
  const findings: FlowFinding[] = [];
  routes.forEach(({ pattern, hats }) => {
    if (hats.length < 2) return;
    const claims = hats.map((hat) => ({ hat, trigger: pattern }));
    findings.push(toFinding(topology, claims, pattern));
  });
  return findings;
}

/** Different patterns of one precedence are looked up in what was there before them: never each against each. */
function listOverlaps(topology: Topology): readonly FlowFinding[] {
  const findings: FlowFinding[] = [];
  const tries = new Map<string, PatternTrie<Route>>();
  const budget: StepBudget = { steps: STEPS };
  for (const route of topology.routes.patterns) {
    const key = route.precedence.join(' ');
    const trie = tries.get(key) ?? createPatternTrie<Route>();
    tries.set(key, trie);
    const isDone = visitMeeting(
      trie,
      route.pattern,
      (earlier) => {
        budget.steps -= 10;
        const finding = toOverlap(topology, earlier, route);
        if (finding !== null) findings.push(finding);
        return findings.length < MAX_OVERLAPS;
      },
      budget,
    );
    if (!isDone) return [...findings, UNCHECKED];
    if (findings.length >= MAX_OVERLAPS) return findings;
    addPattern(trie, route.pattern, route);
  }
  return findings;
}

function toOverlap(topology: Topology, left: Route, right: Route): FlowFinding | null {
  const hats = pickTwo(left.hats, right.hats);
  if (hats === null) return null;
  const shared = toShared(left.pattern, right.pattern);
  if (isTakenBetter(topology.routes, shared, left)) return null;
  const place = (claim: TriggerClaim): number => topology.routes.positions.get(claim.hat) ?? 0;
  const first = [
    { hat: hats[0], trigger: left.pattern },
    { hat: hats[1], trigger: right.pattern },
  ].sort((a, b) => place(a) - place(b));
  const claims = new Map(first.map((claim) => [claim.hat, claim]));
  for (const { hats: others, pattern } of [left, right]) {
    for (const hat of others) if (!claims.has(hat)) claims.set(hat, { hat, trigger: pattern });
  }
  return toFinding(topology, [...claims.values()], shared);
}

/** Two different hats, one of each side. */
function pickTwo(left: readonly string[], right: readonly string[]): readonly [string, string] | null {
  const [a, nextA] = left;
  const [b, nextB] = right;
  if (a === undefined || b === undefined) return null;
  if (a !== b) return [a, b];
  if (nextB !== undefined) return [a, nextB];
  return nextA === undefined ? null : [nextA, b];
}

/** What both patterns match, as a pattern: `a.*` and `*.b` share `a.b`. They are known to meet. */
function toShared(left: string, right: string): string {
  const a = left.split('.');
  const b = right.split('.');
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  return longer.map((segment, index) => (segment === '*' ? (shorter[index] ?? '*') : segment)).join('.');
}

/** True if a better trigger takes everything that is shared: what stands for any word there is taken by nothing that names a word. */
function isTakenBetter(routes: RouteTable, shared: string, route: Route): boolean {
  const [best] = findRoutes(routes, shared.replaceAll('*', ANY_WORD));
  return best !== undefined && comparePrecedence(best.precedence, route.precedence) > 0;
}

function toFinding(topology: Topology, claims: readonly TriggerClaim[], topic: string): FlowFinding {
  const [first, second, ...others] = claims as readonly [TriggerClaim, TriggerClaim, ...TriggerClaim[]];
  const isOverlap = first.trigger !== second.trigger;
  const more = others.length === 0 ? '' : ` (and ${toGrouped(others.length)} more)`;
  const how = isOverlap ? ` ('${first.trigger}' and '${second.trigger}' describe it equally closely)` : '';
  return {
    code: 'routing-ambiguous',
    severity: 'error',
    at: { kind: 'hat-item', hat: first.hat, list: 'triggers', item: first.trigger },
    message: `Ambiguous routing for trigger '${first.trigger}'.`,
    why: `Both '${first.hat}' and '${second.hat}'${more} trigger on '${topic}'${how}. Ralph cannot determine which hat should handle the event.`,
    fix: isOverlap ? toOverlapFix(topology, first, second, topic) : toSharedFix(topology, first, second),
    hats: claims.slice(0, MAX_HATS).map((claim) => claim.hat),
    topics: [...new Set([topic, first.trigger, second.trigger])],
    related: claims.slice(1, 1 + MAX_RELATED).map(toRelated),
  };
}

function toRelated({ hat, trigger }: TriggerClaim): RelatedSubject {
  return { at: { kind: 'hat-item', hat, list: 'triggers', item: trigger }, message: `'${hat}' triggers on it here.` };
}

/** One of the two gives the trigger up: the first that keeps another. */
function toSharedFix(topology: Topology, first: TriggerClaim, second: TriggerClaim): string {
  const triggersOf = ({ hat }: TriggerClaim): readonly string[] => topology.hatById.get(hat)?.triggers.slice(0, MAX_LISTED) ?? [];
  const [loser, keeper] = triggersOf(first).length > 1 || triggersOf(second).length <= 1 ? [first, second] : [second, first];
  const left = triggersOf(loser).filter((trigger) => trigger !== loser.trigger);
  const fixes: readonly ListFix[] = [
    left.length > 0
      ? { hat: loser.hat, list: 'triggers', items: left, comment: `without ${loser.trigger}` }
      : {
          hat: loser.hat,
          list: 'triggers',
          items: [`${toWord(loser.hat)}.requested`],
          comment: 'a topic of its own, for whoever means it',
        },
    { hat: keeper.hat, list: 'triggers', items: triggersOf(keeper), comment: 'unique ownership' },
  ];
  return `Ensure each trigger maps to exactly one hat:\n\n${toHatsYaml(...fixes)}\n\nor let all of them have it:\n\n${toLoopYaml('routing', 'fanout')}`;
}

/** The hat that should have it names it more closely than both do. */
function toOverlapFix(topology: Topology, first: TriggerClaim, second: TriggerClaim, topic: string): string {
  const triggers = topology.hatById.get(first.hat)?.triggers ?? [];
  const all = `let both have it:\n\n${toLoopYaml('routing', 'fanout')}`;
  if (topic === first.trigger || topic === second.trigger) {
    return `Take one of the two patterns away, or write out the topics that are meant; or ${all}`;
  }
  return `Name it in the hat that should have it, because what is named more closely wins:\n\n${toHatsYaml({ hat: first.hat, list: 'triggers', items: triggers, added: topic })}\n\nor ${all}`;
}

function toWord(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 100);
}

/** `9,998`. */
function toGrouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
