import { useEffect, useState } from 'preact/hooks';
import { toUsdText } from '../../core/text/duration.ts';
import type { RunList, RunListRow } from '../../wire/run-list.ts';
import type { PageSource } from '../data/page-source.ts';
import { formatRoute, NO_ROUTE } from '../data/route.ts';
import { AttentionBadge } from '../parts/attention-view.tsx';
import { toAgoText, toTurnsText } from '../parts/words.ts';

const SEEN = 'ralph-seen-at';

/** First page: what needs its person, what runs, what has finished since somebody last looked. */
export function RunListPage({ source, onList }: { readonly source: PageSource; readonly onList: (list: RunList) => void }) {
  const [list, setList] = useState<RunList | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const seenAt = useSeenAt();
  useEffect(() => {
    const take = (value: RunList): void => {
      setList(value);
      onList(value);
    };
    source.list().then(take, (problem: unknown) => setError(problem instanceof Error ? problem.message : String(problem)));
    return source.followList(take, setProblem);
  }, [source]);
  if (list === null)
    return <main>{error === null && problem === null ? <p>Loading …</p> : <p class="problem">{error ?? problem}</p>}</main>;
  const needs = list.runs.filter(needsPerson);
  const running = list.runs.filter(
    (run) => !needsPerson(run) && (run.state === 'running' || run.state === 'waiting' || run.state === 'parked' || run.state === 'unseen'),
  );
  const over = list.runs.filter((run) => !needs.includes(run) && !running.includes(run));
  const fresh = over.filter(({ at }) => at > seenAt);
  return (
    <main class="list">
      <h1>Runs</h1>
      {problem !== null && (
        <p class="problem" role="status">
          {problem}
        </p>
      )}
      <Section title="Needs you" runs={needs} now={list.at} none="Nothing needs you." />
      <Section title="Running without need of you" runs={running} now={list.at} none="No run is under way." />
      <Section title="Finished since you last looked" runs={fresh} now={list.at} none="Nothing." />
      <Section title="Earlier" runs={over.filter((run) => !fresh.includes(run))} now={list.at} none="" />
      {list.unread.map(({ folder, why }) => (
        <p key={folder} class="problem">
          {folder}: {why}
        </p>
      ))}
    </main>
  );
}

/** A run that ended in need of its person a long time ago still needs them. */
function needsPerson({ attention, state }: RunListRow): boolean {
  return state === 'damaged' || attention?.state === 'needs_you' || attention?.state === 'stuck';
}

/** When this browser last showed the list. It is noted when somebody leaves. */
function useSeenAt(): number {
  const [seenAt] = useState(() => Number(localStorage.getItem(SEEN) ?? 0));
  useEffect(() => {
    const note = (): void => localStorage.setItem(SEEN, String(Date.now()));
    addEventListener('pagehide', note);
    return () => {
      removeEventListener('pagehide', note);
      note();
    };
  }, []);
  return seenAt;
}

interface SectionProps {
  readonly title: string;
  readonly runs: readonly RunListRow[];
  readonly now: number;
  readonly none: string;
}

/** More are shown when they are asked for. */
const FEW = 50;

function Section({ title, runs, now, none }: SectionProps) {
  const [isAll, setAll] = useState(false);
  if (runs.length === 0 && none === '') return null;
  const shown = isAll ? runs : runs.slice(0, FEW);
  return (
    <section>
      <h2>
        {title} <span class="count">{runs.length}</span>
      </h2>
      {runs.length === 0 && <p class="faint">{none}</p>}
      <ul class="runs">
        {shown.map((run) => (
          <li key={run.key}>
            <a href={formatRoute({ ...NO_ROUTE, run: run.key })} class="run-link">
              <span class="run-title">{run.title === '' ? run.runId : run.title}</span>
              <span class="run-facts">
                {run.attention === null ? (
                  <span class="badge">{run.state === 'damaged' ? 'cannot be read' : run.state}</span>
                ) : (
                  <AttentionBadge state={run.attention.state} run={run} />
                )}{' '}
                {run.working.length > 0 && `${run.working.join(', ')} · `}
                {toTurnsText(run)} · {run.costUsd === null ? 'cost unknown' : toUsdText(run.costUsd)} · {run.folder} ·{' '}
                {toAgoText(run.at, now)}
              </span>
              {run.attention !== null && run.attention.state !== 'working' && run.attention.state !== 'done' && (
                <span class="run-why">{run.attention.evidence}</span>
              )}
            </a>
          </li>
        ))}
      </ul>
      {shown.length < runs.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {runs.length}
        </button>
      )}
    </section>
  );
}
