import { homedir } from 'node:os'
import { dirname } from 'node:path'
import type { Advice } from '../../../shared/contract/advice.ts'
import { mainFolderOf } from '../../../shared/folders.ts'
import { advise, Found, type Suggestion } from '../../advice/advise.ts'
import { readDecisions, type Decisions } from '../../advice/decisions.ts'
import { unlessRuled } from '../../advice/standing-rule.ts'
import { fixFiles } from '../../advice/settings-change.ts'
import { TRANSCRIPT_CLIENTS } from '../../decode/client/transcript-clients.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { AdviceSessions, costOfServer, evidenceUuids } from '../../store/read/advice-sessions.ts'
import type { Reader } from '../../store/read/reader.ts'

export const adviceList: ReaderHandler<'advice.list'> = (reader, { project, evidence }) => {
  const found = suggestions(reader, readDecisions(dirname(reader.archiveFolder)))
  const shown = found.filter(({ scope }) => project === undefined || scope.project === mainFolderOf(project))
  return { items: shown.map((suggestion) => adviceOf(reader, suggestion, evidence)) }
}

/** What was last drawn from the record, and from which decisions. */
interface Kept {
  readonly sessions: AdviceSessions
  readonly candidates: Found
  decisions: string
  found: readonly Suggestion[]
}

function suggestions(reader: Reader, decisions: Decisions): readonly Suggestion[] {
  const kept = reader.cached<Kept>(
    'advice',
    () => Infinity,
    () => ({ sessions: new AdviceSessions(), candidates: new Found(), decisions: '', found: [] }),
  )
  const decided = JSON.stringify(decisions)
  if (!kept.sessions.update(reader) && kept.decisions === decided) return kept.found
  kept.found = advise(kept.candidates, kept.sessions.all(), (...of) => costOfServer(reader, ...of), decisions)
  kept.decisions = decided
  return kept.found
}

function adviceOf(reader: Reader, { events, fix, ...item }: Suggestion, limit: number): Advice {
  const evidence = evidenceUuids(reader, events.slice(0, limit))
  return { ...item, evidence, fix: fix === null ? null : shownFix(item, fix) }
}

function shownFix({ scope }: Pick<Suggestion, 'scope'>, fix: NonNullable<Suggestion['fix']>): Advice['fix'] {
  const own = unlessRuled(scope.project, fix, homesOfClients())
  const { files, note } = fixFiles(scope.project, own)
  return { title: own.title, steps: [...own.steps, ...(note === null ? [] : [note])], files: [...files] }
}

/** The person's own rules are in the folders of the clients. */
const homesOfClients = (): readonly string[] => TRANSCRIPT_CLIENTS.flatMap(({ homes }) => homes(process.env, homedir()))
