export interface Program {
  /** Absolute; of what a tool of our own agent starts also a name that is looked up in `env.PATH`. */
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute: where it begins, if that is not the folder of the turn. */
  readonly cwd?: string;
}

export interface ViewedProgram extends Program {
  readonly cwd: string;
  /** The namespaces in which the view is made; absent: it is a folder of its own. */
  readonly isolation?: Isolation;
}

/** The programs that put another one into namespaces of its own. Plain data: found once, handed on to every start. */
export interface Isolation {
  /** `unshare` and its words, up to where the inner program follows. */
  readonly enter: readonly string[];
  /** The shell that is process 1 inside. */
  readonly shell: string;
  readonly mount: string;
  /** What takes the rights of process 1 from the program, where it has some to lose, and gives it a session of its own. */
  readonly drop: readonly string[];
  /** Whether the namespaces belong to a user namespace, in which `sudo` and other setuid programs do not work. */
  readonly hasUserNamespace: boolean;
  /** Folders that exist and that an empty one covers. */
  readonly covered: readonly string[];
  /** Folders that exist and that nothing inside can change. */
  readonly readOnly: readonly string[];
  /** Folders that exist, below those, and that can be changed all the same. */
  readonly writable: readonly string[];
  /** Mounts that are made last, one after the other; absent: none. */
  readonly view?: readonly ViewMount[];
}

/** A mount of a view of the workspace. Paths are absolute and exist when it is made. */
export type ViewMount =
  /** Shows `lower` at `path`; what is written goes to `upper`. `work` is the kernel's own, beside `upper`. */
  | { readonly kind: 'overlay'; readonly lower: string; readonly upper: string; readonly work: string; readonly path: string }
  /** With what is mounted below `from`, which stays as it is where this is read-only. */
  | { readonly kind: 'bind'; readonly from: string; readonly path: string; readonly isReadOnly: boolean };

/** Whether the reader of an output is behind: a promise that settles when it has caught up (never rejects), else `null`. Cheap: asked for every chunk. */
export type Backpressure = () => Promise<void> | null;

/** While it is held, neither the time of a turn or a program nor its silence counts: a person is waited for. */
export interface ClockHold {
  readonly isHeld: () => boolean;
  /** For how long so far, in milliseconds. */
  readonly heldMs: () => number;
}

/** What a tool profile makes of the program of an agent, for one turn. */
export interface TurnScope {
  /** In the place of the arguments that were declared. */
  readonly args: readonly string[];
  /** Added to the environment, and wins. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the program gets its flag that lets it work without asking. */
  readonly permissions: 'bypass' | 'default';
  /** `stdin`: the prompt must not be an argument where that can be helped: a list-valued flag could swallow it. */
  readonly prompt: 'stdin' | 'any';
  /** Servers of tools that an agent is told of when its session begins; absent: none. */
  readonly toolServers?: readonly ToolServer[];
  /** What the operating system puts around it; absent: nothing. */
  readonly confine?: (program: Program) => Program;
  /**
   * As `confine`, for a check of the project: it gets a view of the workspace in which it may write, and whose changes are thrown away with the turn.
   * `null` where none can be made. Never rejects. Absent: checks run in the workspace.
   */
  readonly view?: (program: Program) => Promise<ViewedProgram | null>;
}

/** A server of the Model Context Protocol that the agent starts itself. */
export interface ToolServer {
  readonly name: string;
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
}
