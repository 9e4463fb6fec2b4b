import { execFileSync } from 'node:child_process'

/** A changed line of a file. */
export interface ChangedLine {
  readonly file: string
  readonly text: string
}

export interface Commit {
  readonly id: string
  /** ISO 8601, the author's. */
  readonly at: string
  readonly subject: string
  /** IDs of the checkpoints that its trailers name. */
  readonly checkpoints: readonly string[]
  readonly added: readonly ChangedLine[]
  readonly removed: readonly ChangedLine[]
}

/** Branch on which Entire keeps the transcripts of the sessions that commits name. */
const CHECKPOINTS = 'entire/checkpoints/v1'
const FORMAT = '%x00%H%x1f%aI%x1f%s%x1f%(trailers:key=Entire-Checkpoint,valueonly,separator=%x2C)'

/** Reads all commits of a repository but merges, oldest first. */
export function readCommits(repository: string): Commit[] {
  const refs = ['--exclude=refs/heads/entire/*', '--exclude=refs/remotes/origin/entire/*', '--all']
  const log = ['log', ...refs, '--no-merges', '--no-renames', '--unified=0', '--patch', `--format=${FORMAT}`]
  const commits = git(repository, log).split('\0').slice(1).map(readCommit)
  return commits.sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.id < b.id ? -1 : 1))
}

function readCommit(text: string): Commit {
  const [head = '', ...lines] = text.split('\n')
  const [id = '', at = '', subject = '', checkpoints = ''] = head.split('\x1f')
  const added: ChangedLine[] = []
  const removed: ChangedLine[] = []
  let file = ''
  let isHunk = false
  for (const line of lines) {
    if (line.startsWith('diff --git ')) isHunk = false
    else if (line.startsWith('@@')) isHunk = true
    else if (!isHunk) file = /^(?:---|\+\+\+) [ab]\/(.*)$/.exec(line)?.[1] ?? file
    else if (line.startsWith('+')) added.push({ file, text: line.slice(1) })
    else if (line.startsWith('-')) removed.push({ file, text: line.slice(1) })
  }
  return { id, at, subject, checkpoints: checkpoints.split(',').filter((name) => name !== ''), added, removed }
}

/** The transcripts that a repository holds. */
export interface Sessions {
  /** IDs of the sessions of each checkpoint. */
  readonly ofCheckpoint: ReadonlyMap<string, ReadonlySet<string>>
  /** Returns the longest stored transcript of each session, line by line. */
  readonly transcripts: () => Generator<readonly string[]>
}

interface Stored {
  readonly blob: string
  readonly bytes: number
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/

/** Lists the sessions on the branch of checkpoints. A snapshot of a repository may lack some of their files. */
export function readSessions(repository: string): Sessions {
  const ofCheckpoint = new Map<string, Set<string>>()
  const transcripts = new Map<string, Stored>()
  const blobs = blobsOf(repository)
  for (const [path, { blob }] of blobs) {
    const [, folder, start = '', end = ''] = /^((..)\/(\w+)\/\d+)\/metadata\.json$/.exec(path) ?? []
    if (folder === undefined) continue
    const { session_id } = JSON.parse(git(repository, ['cat-file', 'blob', blob])) as { session_id?: string }
    const session = UUID.exec(session_id ?? '')?.[0]
    if (session === undefined) continue
    const checkpoint = start + end
    ofCheckpoint.set(checkpoint, (ofCheckpoint.get(checkpoint) ?? new Set()).add(session))
    const stored = blobs.get(`${folder}/full.jsonl`)
    if (stored !== undefined && stored.bytes > (transcripts.get(session)?.bytes ?? 0)) transcripts.set(session, stored)
  }
  return {
    ofCheckpoint,
    *transcripts() {
      for (const { blob } of transcripts.values()) yield git(repository, ['cat-file', 'blob', blob]).split('\n')
    },
  }
}

/** Maps the paths of the branch to their blobs, but for those that are missing. */
function blobsOf(repository: string): Map<string, Stored> {
  const listed = git(repository, ['ls-tree', '-r', '-l', CHECKPOINTS]).trimEnd().split('\n')
  return new Map(
    listed.flatMap((line) => {
      const [, blob = '', size = '', path = ''] = /^\d+ blob (\w+)\s+(\S+)\t(.*)$/.exec(line) ?? []
      return /^\d+$/.test(size) ? [[path, { blob, bytes: Number(size) }] as const] : []
    }),
  )
}

const git = (repository: string, commands: readonly string[]): string =>
  execFileSync('git', ['-C', repository, ...commands], { encoding: 'utf8', maxBuffer: 2 ** 29 })
