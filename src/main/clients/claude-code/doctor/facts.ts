import type { FileCheck } from '../../../store/read/quick-check.ts'
import type { TunnelFacts } from './tunnel-facts.ts'
import { type InstalledClient } from '../find-client.ts'

/** The input of doctor's checks, gathered before any check runs. */
export interface DoctorFacts {
  readonly nodeVersion: string
  readonly dataDir: string
  /** Permission bits of the data folder and its secret files; empty on platforms without them. */
  readonly modes: readonly { readonly path: string; readonly mode: number; readonly wanted: number }[]
  /** null if no app is using the data. */
  readonly app: {
    readonly pid: number
    readonly appUrl: string
    readonly proxyUrl: string | null
    /** The app's own warnings. */
    readonly warnings: readonly { readonly message: string; readonly fix: string }[]
  } | null
  /** Why a program that answers on the app's port is not trusted; null if there is none. */
  readonly impostor: string | null
  /** A keeper passes requests on, unrecorded, because the app was stopped or cannot start. */
  readonly isPassedOn: boolean
  /** Ports of the settings that another program uses. */
  readonly takenPorts: readonly {
    readonly setting: string
    readonly flag: string
    readonly port: number
    /** It is not the default. */
    readonly isChosen: boolean
  }[]
  readonly proxyUrl: string
  /** The base URL of clients started here; null if they use the API directly. */
  readonly baseUrl: {
    /** It has a path secret: of this Aspy, of one before or of another folder. */
    readonly isOfAspy?: boolean
    readonly url: string
    /** Its source: a settings file, or the environment. */
    readonly from: string
    /** Only loopback addresses are tried; null if not tried. */
    readonly isServed: boolean | null
  } | null
  /** True if clients started here treat their base URL as Anthropic's own. */
  readonly assumed: {
    /** They treat it as Anthropic's own. */
    readonly isAssumed: boolean
    /** The proxy forwards to Anthropic's own address. */
    readonly isFirstParty: boolean
    /** The installed client contains the variable's name, so it does not ignore it; null if unknown. */
    readonly isKnown: boolean | null
  }
  /** The tunnel that clients started here use; null if they use none. */
  readonly tunnel: TunnelFacts | null
  /** The network proxy that a client would use; null if there is none. */
  readonly networkProxy: { readonly variable: string; readonly skipsLoopback: boolean } | null
  /** The folders where a client finds our plugin. */
  readonly plugins: readonly {
    readonly folder: string
    /** True if setup would write the same files now; null if the plugin was not installed by setup. */
    readonly isCurrent: boolean | null
    /** It differs only by the setting `[files] watch_changes`. */
    readonly differsByWatch?: boolean
  }[]
  /** True if settings let Claude search without asking. */
  readonly maySearch: boolean
  /** Settings files with hooks to Aspy, in addition to the plugin. */
  readonly settingsWithHooks: readonly string[]
  readonly unreadableSettings: readonly string[]
  /** The cloud provider that clients use instead; null if there is none. */
  readonly cloud: string | null
  /** Where requests of clients that are started here go, without credentials. */
  readonly upstream: string
  readonly showsThinking: boolean
  readonly freeBytes: number | null
  readonly database:
    | (FileCheck & {
        readonly path: string
        /** Its log was removed after an app had ended without closing it. Nothing was checked. */
        readonly isLogGone?: true
      })
    | null
  /** null if no client is installed. */
  readonly client: InstalledClient | null
}

/** The newest Claude Code version that this version was tested with. */
export const KNOWN_CLIENT = '2.1.332'
