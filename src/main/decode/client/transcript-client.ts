import type { EventDraft } from '../draft.ts'
import type { TranscriptContext, TranscriptDecoder } from '../transcript-decoder.ts'

/** A client's read access to the disk. Never throws: a missing or unreadable file counts as absent. */
export interface TranscriptDisk {
  exists(path: string): boolean
  /** Returns the names in a folder; none if there is no such folder. */
  namesIn(folder: string): readonly string[]
  /** Returns the text of a file's first bytes, or the whole of a shorter file; null if it cannot be read. */
  head(path: string, bytes: number): string | null
  /** Yields the lines of a file, unpacked if it is compressed; none if it cannot be read. */
  lines(path: string): Iterable<string>
}

/** Facts and callbacks that every decoder takes. */
export type DecoderFacts = Pick<
  TranscriptContext,
  'hash' | 'onUnknownField' | 'onBrokenLine' | 'fileTime' | 'originalOf' | 'isLeft'
>

type Environment = Readonly<Record<string, string | undefined>>

/** A session of a running client, as noted by the client. */
export interface RunningNote {
  readonly session_id: string
  readonly pid: number
  readonly project: string | null
  readonly started_at: string | null
  readonly version: string | null
}

/** The lines to look for: those of a session and of one of its agents. */
export interface SessionOwner {
  readonly session_id: string
  readonly agent_id: string | null
}

/**
 * Members of a file that is one JSON object: one counts as its first line, the elements of the other as its other
 * lines.
 */
export interface DocumentParts {
  readonly head: string
  readonly list: string
}

/**
 * A client's way of storing transcripts. The importer accesses clients only through this interface and the list of
 * them.
 */
export interface TranscriptClient {
  /** Key of the client. */
  readonly name: string
  /** Returns the folders that may be the client's, whether they exist or not. */
  homes(env: Environment, userHome: string): readonly string[]
  /** Returns the folders with transcripts in one of them. */
  folders(home: string): readonly string[]
  /** Returns after how many days without a change the client deletes a file. Absent or null: never. */
  keptDays?(home: string, disk: TranscriptDisk): number | null
  /** True if a file is the client's by its name. */
  hasName(path: string): boolean
  /** True if a file begins like the client's, whatever its name. Absent: files are recognized by name only. */
  beginsLike?(head: string): boolean
  /**
   * Returns the parts of a file that is one JSON object and rewritten as a whole; null if it has lines. Absent: all
   * files have lines.
   */
  documentOf?(path: string, head: string): DocumentParts | null
  createDecoder(path: string, disk: TranscriptDisk, facts: DecoderFacts): TranscriptDecoder
  /** Returns when a file was begun, in ms since 1970, by its name. Absent or null: the last change orders files. */
  beganAt?(path: string): number | null
  /** Returns the file of the session whose agent has this file; null if it is a session's own. Absent: `subagents/` tells. */
  mainFileOf?(path: string): string | null
  /** Returns the session of a file whose forks copy its lines without naming it. Absent: files name what they copied. */
  sessionOfPath?(path: string): string | null
  /** True if a file is the session's own, or one of its agent's. Absent: no file is looked up for a session. */
  isOfSession?(path: string, owner: SessionOwner): boolean
  /** Returns the part of a line that a preview needs; null if it needs none. Absent: the whole line. */
  figuresOf?(line: Buffer): string | null
  /** The client's own list of all prompts. Absent: it keeps none. */
  readonly promptHistory?: {
    path(home: string): string
    draft(line: string, hash: (text: string) => string): EventDraft<'user_prompt'> | null
  }
  /** Returns the sessions that run, as noted in a home; their processes may have ended. Absent: it notes none. */
  runningIn?(home: string, disk: TranscriptDisk): readonly RunningNote[]
}

/** Returns the folders that may be a client's: the one that its variable names, and the usual one. */
export const homesOf = (named: string | undefined, usual: string): readonly string[] =>
  named === undefined || named === '' ? [usual] : [named, usual]
