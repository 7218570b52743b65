import { describe, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { Json } from '../core/values/json.ts';
import { type FleetNews, FleetStory } from './fleet-demo-story.ts';

/** A story, its news, and a clock that is set by hand. */
function begin() {
  const news: FleetNews[] = [];
  const clock = { ms: 0 };
  const story = new FleetStory(
    (one) => news.push(one),
    () => clock.ms,
  );
  const line = (record: Readonly<Record<string, Json>>): void => story.takeLine(JSON.stringify({ v: 1, at: 0, seq: 1, ...record }), 77);
  const start = (iteration: number, attempt: number, hat: string): void =>
    line({ kind: 'effect', type: 'iteration-start', iteration, attempt, hat });
  const end = (iteration: number, attempt: number, outcome: Json, sessionId: string | null): void =>
    line({ kind: 'input', type: 'iteration-ended', iteration, attempt, outcome, sessionId, durationMs: 5, usage: { ...UNKNOWN_USAGE } });
  return { story, news, clock, line, start, end };
}

const LOST = { status: 'failed', failure: { class: 'transient', message: 'the worker w1 was lost: it said nothing for 2 s' } };

describe('the story of a demo of a fleet', () => {
  it('tells who takes a turn, who is killed in it, when that is seen, and who takes it then', () => {
    const { story, news, clock, start, end } = begin();
    story.see('4.1', 'w1');
    start(4, 1, 'builder');
    expect(story.held()).toBeNull();
    clock.ms = 10;
    story.see('4.1', 'w1');
    story.see('4.1', 'w1');
    const held = story.held();
    expect(held).toEqual({ iteration: 4, attempt: 1, worker: 'w1', heldAt: 10, changed: null });
    if (held !== null) story.kill(held, 5);
    clock.ms = 2110;
    end(4, 1, LOST, null);
    expect(story.held()).toBeNull();
    start(4, 2, 'builder');
    story.see('4.1', 'w1');
    story.see('4.2', 'w2');
    end(4, 2, { status: 'succeeded' }, 'w2/run/4.2');
    expect(news).toEqual([
      { kind: 'turn-taken', turn: '4', hat: 'builder', worker: 'w1' },
      { kind: 'worker-killed', turn: '4', worker: 'w1', pid: 5, changed: null },
      { kind: 'turn-lost', turn: '4', worker: 'w1', afterMs: 2100 },
      { kind: 'turn-taken', turn: '4.2', hat: 'builder', worker: 'w2' },
      { kind: 'turn-done', turn: '4.2', worker: 'w2', durationMs: 5 },
    ]);
    expect(story.end()).toEqual({
      takers: [
        { turn: '4', worker: 'w1' },
        { turn: '4.2', worker: 'w2' },
      ],
      killed: { turn: '4', worker: 'w1', seenAfterMs: 2100 },
      reason: null,
    });
  });

  it('knows who had a turn that was over before anybody looked, and takes no other failure for the loss', () => {
    const { story, news, start, end } = begin();
    start(1, 1, 'planner');
    end(1, 1, { status: 'succeeded' }, 'w2/run/1.1');
    start(2, 1, 'builder');
    end(2, 1, LOST, null);
    end(9, 1, LOST, null);
    expect(news.map(({ kind }) => kind)).toEqual(['turn-taken', 'turn-done', 'turn-failed']);
    expect(story.end()).toMatchObject({ takers: [{ turn: '1', worker: 'w2' }], killed: null });
  });

  it('knows the file that was changed last, and none of a change that was refused', () => {
    const { story, line, start } = begin();
    start(4, 1, 'builder');
    story.see('4.1', 'w1');
    const edit = (id: string, summary: string, ok: boolean): void => {
      line({ kind: 'live', iteration: 4, attempt: 1, hat: 'builder', type: 'tool-start', id, name: 'edit_file', summary });
      line({ kind: 'live', iteration: 4, attempt: 1, hat: 'builder', type: 'tool-end', id, name: 'edit_file', ok, summary: 'Edited' });
    };
    edit('a', 'src/secret.mjs', false);
    expect(story.held()?.changed).toBeNull();
    edit('b', 'src/cart.mjs', true);
    expect(story.held()?.changed).toBe('src/cart.mjs');
  });

  it('tells of events that turns published, of gates, and how the run ended; what is no record is passed over', () => {
    const { story, news, line } = begin();
    story.takeLine('no record', 77);
    line({ kind: 'run', runId: 'r' });
    const event = { topic: 'build.task', payload: 'Mend it.', iteration: 1 };
    line({ kind: 'effect', type: 'event-publish', event: { ...event, iteration: 0 }, to: ['planner'] });
    line({ kind: 'effect', type: 'event-publish', event, to: ['builder'] });
    line({ kind: 'input', type: 'gates-finished', results: [{ name: 'tests', command: 'node --test', passed: false, exitCode: 1 }] });
    line({ kind: 'end', reason: 'completed' });
    expect(news).toEqual([
      { kind: 'run-began', runId: 'r', pid: 77 },
      { kind: 'published', topic: 'build.task', payload: 'Mend it.', to: ['builder'] },
      { kind: 'gate-answered', gate: 'tests', passed: false, exitCode: 1 },
    ]);
    expect(story.end().reason).toBe('completed');
  });
});
