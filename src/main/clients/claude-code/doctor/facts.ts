/** What doctor looks at, gathered before anything is judged. */
export interface DoctorFacts {
  readonly nodeVersion: string
  readonly dataDir: string
  /** Of the data folder and the secret files in it, the mode's lower nine bits; empty where modes mean nothing. */
  readonly modes: readonly { readonly path: string; readonly mode: number; readonly wanted: number }[]
  /** null: no app runs on the data. */
  readonly app: {
    readonly pid: number
    readonly appUrl: string
    readonly proxyUrl: string | null
    /** What it warns of itself. */
    readonly warnings: readonly { readonly message: string; readonly fix: string }[]
  } | null
  /** Ports that the app wants and somebody else has. */
  readonly takenPorts: readonly { readonly setting: string; readonly flag: string; readonly port: number }[]
  readonly proxyUrl: string
  /** Where clients started here go by themselves; null: to the API. */
  readonly baseUrl: {
    readonly url: string
    /** A settings file, or the environment. */
    readonly from: string
    /** Only loopback is tried; null: not tried. */
    readonly isServed: boolean | null
  } | null
  /** The network's proxy that a client would use; null: none. */
  readonly networkProxy: { readonly variable: string; readonly sparesLoopback: boolean } | null
  /** Where a client finds our plugin. */
  readonly plugins: readonly {
    readonly folder: string
    /** It is as setup would write it now; null: not ours to compare. */
    readonly isCurrent: boolean | null
  }[]
  /** Settings files with hooks that go to Aspy beside the plugin. */
  readonly settingsWithHooks: readonly string[]
  readonly unreadableSettings: readonly string[]
  /** The cloud that clients speak to instead; null: none. */
  readonly cloud: string | null
  readonly showsThinking: boolean
  readonly freeBytes: number | null
  readonly database: {
    readonly path: string
    readonly bytes: number
    /** What is wrong with it; null: nothing was found. */
    readonly fault: string | null
    /** Whether every page was looked at. */
    readonly isWhole: boolean
  } | null
  /** null: there is no client. */
  readonly client: { readonly path: string; readonly version: string | null } | null
}

/** The newest Claude Code that this version was tried with. */
export const KNOWN_CLIENT = '2.1.330'
