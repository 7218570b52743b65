import type { ModelServer, ModelServerOptions } from './model/types.d.ts';

export function startModelServer(options?: ModelServerOptions): Promise<ModelServer>;
