/** The composition root as the commands know it: loaded when a command needs it, and a fake in tests. */
export type AppApi = typeof import('../app/index.ts');

/** What a run is read and watched with: a small part of it. */
export type WatchApi = Pick<AppApi, 'openRun' | 'openWatchedRun'>;
