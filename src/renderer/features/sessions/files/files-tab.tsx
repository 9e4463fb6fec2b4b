import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileDiff } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { changesOf, fileChanges } from '../../../../shared/file-change.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Button } from '../../../components/button.tsx'
import { ShowRest } from '../../../components/cut-text.tsx'
import { DiffView, LineCounts } from '../../../components/diff-view.tsx'
import { Fold } from '../../../components/fold.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { ScrollRegion } from '../../../components/scroll-region.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Empty } from '../../../components/states.tsx'
import { countLines } from '../../../../shared/change-lines.ts'
import { formatMoment, plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { snippetText } from '../../../lib/snippet.ts'
import { editsQuery } from '../event-queries.ts'
import { shortPath } from '../../../../shared/short-path.ts'
import { useResultOf } from '../transcript/use-call-result.ts'
import { CommandFiles } from './command-files.tsx'
import { type FileEdit, fileHistories, type FileHistory } from './file-history.ts'
import { FileStates } from './file-states.tsx'
import { netChange } from './net-change.ts'
import { SavePatch } from './save-patch.tsx'
import { toSession } from '../../../lib/places.ts'

type Prompts = OperationOutput<'prompts.search'>

/** Maximum number of files that start open. */
const MAX_OPEN = 3

/** Edits of a file that are shown before "Show all": each one loads its result. */
const MAX_EDITS = 20

interface FilesTabProps {
  readonly sessionId: string
  readonly project: string | null
  /** Opens an event in the transcript. */
  readonly onOpen: (uuid: string) => void
}

/** Every file that the session changed: the net change, and each edit in order. */
export function FilesTab({ sessionId, project, onOpen }: FilesTabProps) {
  const query = useQuery(editsQuery(sessionId))
  const { data } = query
  const files = useMemo(() => (data ? fileHistories(data.calls, data.failed) : []), [data])
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const toggle = (path: string) =>
    setToggled((now) => {
      const next = new Set(now)
      if (!next.delete(path)) next.add(path)
      return next
    })
  const navigate = useNavigate()
  const openElsewhere = (uuid: string, id: string) => {
    if (id === sessionId) onOpen(uuid)
    else void navigate(toSession(id, { event: uuid }))
  }
  const tree = useOperation('files.tree', { session_id: sessionId })
  const { data: prompts } = useOperation('prompts.search', { session_id: sessionId })
  const edited = new Set(files.map(({ path }) => wholePath(path, project)))
  const gone = new Set(tree.data?.items.flatMap(({ path, state }) => (state === 'deleted' ? [path] : [])))
  const isGone = ({ path }: FileHistory) => gone.has(wholePath(path, project))
  // Lines of a deleted file are not what the session changed in the end.
  const sum = (side: 'added' | 'removed') => files.reduce((total, file) => total + (isGone(file) ? 0 : file[side]), 0)
  const byCommand = tree.data?.items.filter(({ path }) => !edited.has(path)) ?? []
  const empty = files.length === 0 && byCommand.length === 0 && !tree.isPending && (
    <Empty icon={FileDiff} title="No files changed">
      Files that tools edited appear here, and those that commands changed, as far as their text says what they did.
    </Empty>
  )
  return loaded({ query, label: 'Loading changed files', empty }, ({ isPartial }) => (
    <ScrollRegion label="Files changed" className="min-w-0 flex-1 px-6 py-4 max-[560px]:px-3">
      <div className="mx-auto max-w-[84rem]">
        <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-small">
          <span className="font-medium">{plural(files.length, 'file')} changed</span>
          <LineCounts added={sum('added')} removed={sum('removed')} />
          <SavePatch sessionId={sessionId} />
        </p>
        <p className="mt-0.5 text-meta text-faint">
          As recorded, from edits that succeeded{isPartial ? '; only the first are shown' : ''}.
          {byCommand.length > 0 && ' What commands changed is listed below, as far as their text says it.'}
        </p>
        <ul className="mt-3 flex flex-col gap-2">
          {files.map((file) => (
            <li key={file.path} className="rounded-medium border bg-surface px-3 py-2">
              <File
                file={file}
                isGone={isGone(file)}
                prompts={promptsOf(file, prompts)}
                name={shortPath(file.path, project)}
                isOpen={files.length <= MAX_OPEN !== toggled.has(file.path)}
                onToggle={() => toggle(file.path)}
                onOpen={onOpen}
                project={project}
                onOpenElsewhere={openElsewhere}
              />
            </li>
          ))}
        </ul>
        <CommandFiles files={byCommand} project={project} onOpen={openElsewhere} />
      </div>
    </ScrollRegion>
  ))
}

interface FileProps {
  readonly file: FileHistory
  /** Deleted by the end of the session. */
  readonly isGone: boolean
  /** Texts of the prompts that it was changed for, the first one first. */
  readonly prompts: readonly string[]
  readonly name: string
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly onOpen: (uuid: string) => void
  readonly project: string | null
  /** Opens an event of any session. */
  readonly onOpenElsewhere: (uuid: string, sessionId: string) => void
}

const VIEWS = [
  { value: 'net', name: 'Net change', title: 'From the first content that is known to the last' },
  { value: 'edits', name: 'Edits', title: 'Each edit in order' },
  { value: 'history', name: 'History', title: 'The file over all sessions, with the prompt of each line' },
] as const

function promptsOf({ edits }: FileHistory, prompts: Prompts | undefined): readonly string[] {
  const turns = new Set(edits.map(({ call }) => call.turn_id))
  return (prompts?.items ?? []).flatMap(({ turn_id: turn, content: text }) =>
    turns.has(turn) ? [visibleText(snippetText(text))] : [],
  )
}

function File({ file, isGone, prompts, name, isOpen, onToggle, onOpen, project, onOpenElsewhere }: FileProps) {
  const [view, setView] = useState<(typeof VIEWS)[number]['value'] | null>(null)
  // One edit is its own net change, and its result has the numbers of its lines.
  const shown = view ?? (file.edits.length > 1 ? 'net' : 'edits')
  return (
    <>
      <Fold open={isOpen} onToggle={onToggle}>
        <span className="min-w-0 flex-1 truncate font-mono text-small" title={file.path}>
          {visibleText(name)}
        </span>
        <span className="shrink-0 text-meta text-faint">
          {isGone && 'then deleted · '}
          {plural(file.edits.length, 'edit')}
        </span>
        {!isGone && <LineCounts added={file.added} removed={file.removed} />}
      </Fold>
      {prompts.length > 0 && (
        <p className="truncate pl-5.5 text-meta text-faint" title={prompts.join('\n')}>
          {prompts[0]}
          {prompts.length > 1 && ` · ${plural(prompts.length - 1, 'more prompt')}`}
        </p>
      )}
      {isOpen && (
        <>
          <div className="mt-2">
            <Segments label={`View of ${file.path}`} options={VIEWS} value={shown} onChange={setView} />
          </div>
          {shown === 'net' && <Net file={file} />}
          {shown === 'edits' && <Edits file={file} onOpen={onOpen} />}
          {shown === 'history' && <FileStates path={wholePath(file.path, project)} onOpen={onOpenElsewhere} />}
        </>
      )}
    </>
  )
}

/** Some clients name files from the folder of the session. */
const wholePath = (path: string, project: string | null): string =>
  project === null || /^(?:[/\\]|[a-z]:)/i.test(path) ? path : `${project}/${path}`

/** The change of all edits together, and its unknown parts. */
function Net({ file: { path, edits } }: { readonly file: FileHistory }) {
  const first = edits[0]
  const isWrite = first?.change.change === 'write'
  // Only the result of a write shows whether it created the file.
  const result = useResultOf(isWrite ? first.call : null)
  const isNew = isWrite && fileChanges(result?.payload.detail).some(({ change }) => change === 'add')
  const { change, unknown } = useMemo(() => netChange(path, edits, isNew), [path, edits, isNew])
  return (
    <section aria-label={`Net change of ${path}`} className="mt-2">
      <p className="flex text-meta text-soft">
        {change.parts.length === 0 &&
          change.change !== 'delete' &&
          'Nothing is left of the edits: they undid each other.'}
        <LineCounts {...countLines(change.parts)} />
      </p>
      {unknown.map((sentence) => (
        <p key={sentence} className="text-meta text-faint">
          {sentence}
        </p>
      ))}
      {(change.parts.length > 0 || change.change === 'delete') && <DiffView file={change} />}
    </section>
  )
}

function Edits({ file, onOpen }: Pick<FileProps, 'file' | 'onOpen'>) {
  const [isAll, setAll] = useState(false)
  const shown = isAll ? file.edits : file.edits.slice(0, MAX_EDITS)
  return (
    <>
      <ol aria-label={`Edits of ${file.path}`}>
        {shown.map((edit, at) => (
          <li key={`${edit.call.uuid} ${at}`} className="mt-2">
            <Edit edit={edit} onOpen={onOpen} />
          </li>
        ))}
      </ol>
      <ShowRest shown={shown.length} all={file.edits.length} noun="edits" onClick={() => setAll(true)} />
    </>
  )
}

/** One edit. Its result has the numbers of its lines, so it is loaded with it. */
function Edit({
  edit: { call, change },
  onOpen,
}: {
  readonly edit: FileEdit
  readonly onOpen: (uuid: string) => void
}) {
  const result = useResultOf(call)
  const file = useMemo(() => {
    const made = changesOf([change], result?.payload.detail)
    return made.find(({ path }) => path === change.path) ?? change
  }, [change, result])
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 text-meta text-faint">
        <time dateTime={call.ts_wall}>{formatMoment(call.ts_wall)}</time>
        <span>turn {call.turn_id}</span>
        {call.agent_id !== null && <span>by an agent</span>}
        <Button look="ghost" size="small" className="ml-auto" onClick={() => onOpen(call.uuid)}>
          Show in transcript
        </Button>
      </p>
      <DiffView file={file} />
    </>
  )
}
