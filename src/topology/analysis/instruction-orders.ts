import type { HatSpec } from '../../core/run/run-spec.ts';
import type { Topology } from '../routing/compile-topology.ts';

/** Verbs that tell somebody to publish an event. */
const PUBLISH_VERBS = toForms('publish emit send fire raise trigger dispatch post issue broadcast signal announce');
/** Verbs that tell somebody to write a word. */
const SAY_VERBS = new Set([
  ...PUBLISH_VERBS,
  ...toForms(
    'output print say write type echo reply respond answer return declare report end finish conclude close include add append use state put',
  ),
]);
/** What may stand right before such a verb when it is an order to the reader. */
const BEFORE_ORDER = toSet(
  'you then and or but so just only simply always finally please immediately now also either instead otherwise first once by to must should can may will shall',
);
const MODALS = toSet('to must should can may will shall');
const ARTICLES = toSet('the a an your its their his her this that any no each every');
const OPENERS = toSet('when if once after until unless while whenever where as');
/** Subjects that are not the reader, beside the names of the other hats. */
const OTHERS = toSet(
  'ralph coordinator orchestrator planner loop system somebody someone nobody everybody he she they it who agent hat user person people human member worker other tool test script',
);
/** What stands between a verb and its topic without changing what is meant. */
const FILLERS = toSet(
  'the a an event events topic topics either one of these this those following with exactly just only then or and also both another new single is as',
);

/** Words are read to this length; topics are shorter. */
const MAX_WORD = 300;

/** A word of a sentence with what follows it directly. */
interface SentenceToken {
  /** Without quotes, brackets and the marks at its end. */
  readonly text: string;
  readonly lower: string;
  /** True where a comma, colon or semicolon ends a clause after it. */
  readonly endsClause: boolean;
}

/** Who else could be the subject of a sentence: ids and names of the other hats, in lower case. */
export type IsOther = (word: string) => boolean;

/** True if the sentence tells its reader to write the word, which stands at this offset: not somebody else, and not to refrain from it. */
export function isToldToSay(sentence: string, offset: number, isOther: IsOther): boolean {
  const before = sentence.slice(0, offset);
  const tokens = readTokens(before);
  if (tokens.length === 0) return /^\W*$/.test(sentence.slice(offset).replace(/^\S+/, ''));
  const verb = tokens.findLastIndex((token, at) => SAY_VERBS.has(token.lower) && !isNoun(tokens, at));
  if (verb >= 0 && tokens.length - verb <= 7) return isOrder(tokens, verb, isOther) && !isRefused(tokens, tokens.length);
  return /(?::|->|=>|→)\W*$/.test(before.slice(-40)) && !isRefused(tokens, tokens.length);
}

/** The words of a sentence, in its own spelling, that its reader is told to publish. Whether they are topics is for the caller to say. */
export function findPublishOrders(sentence: string, isOther: IsOther, isTopicLike: (word: string) => boolean): readonly string[] {
  const tokens = readTokens(sentence);
  const found: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (!PUBLISH_VERBS.has(tokens[at]?.lower ?? '') || isNoun(tokens, at) || !isOrder(tokens, at, isOther)) continue;
    let next = at + 1;
    for (; next < tokens.length; next += 1) {
      const token = tokens[next] as SentenceToken;
      const isChoice = tokens[next - 1]?.lower === 'or' && found.length > 0;
      if (isTopicLike(token.text)) found.push(token.text);
      else if (!FILLERS.has(token.lower) && !(isChoice && PUBLISH_VERBS.has(token.lower))) break;
    }
    found.push(...findChoices(tokens, next, isTopicLike));
    at = next - 1;
  }
  return found;
}

/** "… with the evidence, or `build.blocked` if you are stuck": what a later `or` of the sentence adds. */
function findChoices(tokens: readonly SentenceToken[], from: number, isTopicLike: (word: string) => boolean): readonly string[] {
  const end = tokens.findIndex((token, at) => at >= from && (PUBLISH_VERBS.has(token.lower) || token.lower === 'not'));
  return tokens.slice(from, end < 0 ? tokens.length : end).flatMap((token, at, rest) => {
    return isTopicLike(token.text) && rest[at - 1]?.lower === 'or' ? [token.text] : [];
  });
}

function readTokens(text: string): readonly SentenceToken[] {
  return text.split(/\s+/).flatMap((whole) => {
    const raw = whole.slice(0, MAX_WORD);
    const bare = raw.replace(/^[("'`*_<[{]+/, '').replace(/[)"'`*_>\]},;:.!?]+$/, '');
    if (bare === '' && !/[,;:]/.test(raw)) return /^(?:—|–|-|->|→)$/.test(raw) ? [{ text: '', lower: '', endsClause: true }] : [];
    return [{ text: bare, lower: bare.toLowerCase().replaceAll('’', "'"), endsClause: /[,;:—][)"'`*_]*$/.test(raw) }];
  });
}

function isNoun(tokens: readonly SentenceToken[], at: number): boolean {
  const before = tokens[at - 1];
  return before !== undefined && !before.endsClause && ARTICLES.has(before.lower);
}

/** True if the verb is an order to the reader that is not a refusal. */
function isOrder(tokens: readonly SentenceToken[], verb: number, isOther: IsOther): boolean {
  if (isRefused(tokens, verb)) return false;
  const before = tokens[verb - 1];
  if (before === undefined || before.endsClause) return !isForOther(tokens, verb, isOther);
  const isStranger = (token: SentenceToken | undefined): boolean => token !== undefined && isNamed(token.lower, isOther);
  if (isStranger(before)) return false;
  if (MODALS.has(before.lower)) return !isForOther(tokens, verb - 1, isOther) && !isStrangerBeforeModal(tokens, verb - 1);
  if (BEFORE_ORDER.has(before.lower) || before.lower.endsWith('ly')) return !isForOther(tokens, verb, isOther);
  // "When everything is done output …": the condition has no comma behind it.
  return tokens.slice(0, verb).some((token) => OPENERS.has(token.lower)) && !isForOther(tokens, verb, isOther);
}

/** "Reviewers may emit": a subject that is not the reader. "to" has none. */
function isStrangerBeforeModal(tokens: readonly SentenceToken[], modal: number): boolean {
  const subject = tokens[modal - 1];
  if (tokens[modal]?.lower === 'to' || subject === undefined || subject.endsClause) return false;
  return subject.lower !== 'you' && !BEFORE_ORDER.has(subject.lower) && !tokens.slice(0, modal).some((token) => OPENERS.has(token.lower));
}

/** "Ask the reviewer to print", "let Ralph print", "the planner alone may print". */
function isForOther(tokens: readonly SentenceToken[], at: number, isOther: IsOther): boolean {
  for (let place = at - 1; place >= 0 && place >= at - 4; place -= 1) {
    const token = tokens[place] as SentenceToken;
    if (token.endsClause || token.lower === 'you' || token.lower === 'and' || token.lower === 'or' || token.lower === 'then') return false;
    if (isNamed(token.lower, isOther)) return true;
  }
  return false;
}

function isNamed(word: string, isOther: IsOther): boolean {
  const one = word.endsWith('s') ? word.slice(0, -1) : word;
  return OTHERS.has(word) || OTHERS.has(one) || isOther(word) || isOther(one);
}

const REFUSALS = toSet("never don't dont cannot can't cant mustn't shouldn't won't avoid refrain without nor neither forbidden");
const BEFORE_NOT = toSet('do must should may can shall will would you');
const AFTER_NOT = toSet('allowed permitted supposed meant expected to yet ever');

/** True if the words before a place take back what follows them; a condition (“if tests do not fail, …”) does not. */
function isRefused(tokens: readonly SentenceToken[], at: number): boolean {
  let isRefusal = false;
  let isCondition = false;
  for (let place = 0; place < at; place += 1) {
    const token = tokens[place] as SentenceToken;
    const next = tokens[place + 1]?.lower ?? '';
    if (OPENERS.has(token.lower)) isCondition = true;
    const isNot =
      token.lower === 'not' &&
      (BEFORE_NOT.has(tokens[place - 1]?.lower ?? '') || AFTER_NOT.has(next) || SAY_VERBS.has(next) || place === 0);
    const isInstead = (token.lower === 'instead' && next === 'of') || (token.lower === 'rather' && next === 'than');
    if (!isCondition && (isNot || isInstead || REFUSALS.has(token.lower))) isRefusal = true;
    if (token.lower === 'but') isRefusal = false;
    if (token.endsClause || token.lower === 'then') isCondition = false;
  }
  return isRefusal;
}

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** Each verb with the form that follows "by": print, printing. */
function toForms(verbs: string): ReadonlySet<string> {
  return new Set(verbs.split(' ').flatMap((verb) => [verb, verb.endsWith('e') ? `${verb.slice(0, -1)}ing` : `${verb}ing`]));
}

/** A text is read to this length: instructions are some pages. */
const MAX_TEXT = 100_000;
/** How much of a line that ends with a colon is repeated before each entry of the list below it. */
const MAX_LEAD = 200;
/** Longer sentences are read in pieces: nobody writes such. */
const MAX_SENTENCE = 1000;
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;

/**
 * The sentences of instructions: lines of a paragraph are joined, an entry of a list is a sentence of its own, and what a colon announces
 * ("Emit one of:") stands before what follows it: the entries of a list, or one paragraph.
 */
export function readSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let block = '';
  let lead = '';
  let isLeadUsed = true;
  const close = (): void => {
    if (block === '') return;
    for (const sentence of `${lead} ${block}`.trim().split(/(?<=[.!?])\s+/)) {
      for (let at = 0; at < sentence.length; at += MAX_SENTENCE) sentences.push(sentence.slice(at, at + MAX_SENTENCE));
    }
    isLeadUsed = true;
    block = '';
  };
  for (const line of text.slice(0, MAX_TEXT).split('\n')) {
    const mark = LIST_MARK.exec(line);
    const words = line.slice(mark?.[0].length ?? 0).trim();
    const isApart = words === '' || words.startsWith('```') || /^#+\s/.test(words);
    if (isApart || mark !== null) close();
    if (isApart) continue;
    if (block === '' && mark === null && isLeadUsed) lead = '';
    block = block === '' ? words : `${block} ${words}`;
    if (!words.endsWith(':')) continue;
    close();
    lead = (sentences.at(-1) ?? '').slice(-MAX_LEAD);
    isLeadUsed = false;
  }
  close();
  return sentences;
}

/** Says for each hat which words name another one: ids, and names of one word, in lower case. They are listed when first asked for. */
export function createHatNames(topology: Topology): (hat: HatSpec) => IsOther {
  let names: Map<string, string> | null = null;
  return (hat) => (word) => {
    names ??= listNames(topology);
    const owner = names.get(word);
    return owner !== undefined && owner !== hat.id;
  };
}

function listNames({ hats }: Topology): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, name } of hats) names.set(id.toLowerCase(), id).set(name.toLowerCase(), id);
  return names;
}
