import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperationInput } from '../../../../shared/contract/index.ts'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { call } from '../../../lib/client.ts'
import { plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { useAction } from '../../../lib/use-action.ts'

interface TagDialogProps {
  readonly sessions: readonly Pick<Session, 'id' | 'own_tags'>[]
  readonly onClose: () => void
}

type Change = Pick<OperationInput<'sessions.label'>, 'add_tags' | 'remove_tags'>

/** Sets tags on sessions, or removes them: a list of the known tags, and a field for a new one. Each change is saved at once. */
export function TagDialog({ sessions, onClose }: TagDialogProps) {
  const [text, setText] = useState('')
  const { change, tagged } = useTagging(sessions)
  const stored = useTags()
  const known = [...new Set([...stored, ...tagged.values().toArray().flat()])].toSorted((one, other) =>
    one.localeCompare(other),
  )
  const add = () => {
    const tag = text.trim()
    if (tag === '') return
    change.mutate({ add_tags: [tag] })
    setText('')
  }
  return (
    <Dialog label="Tags" onClose={onClose} className="w-[min(26rem,92vw)]">
      <form
        className="flex flex-col gap-3 p-6"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <h2 className="text-title font-semibold">
          {sessions.length === 1 ? 'Tags of this session' : `Tags of ${plural(sessions.length, 'session')}`}
        </h2>
        <div className="flex gap-2">
          <input
            type="text"
            aria-label="New tag"
            placeholder="New tag"
            maxLength={60}
            // The dialog opens to type here.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="h-8 min-w-0 flex-1 rounded-small border border-line-strong bg-surface px-2 text-small"
          />
          <Button type="submit" disabled={change.isPending || text.trim() === ''}>
            Add
          </Button>
        </div>
        {known.length > 0 && (
          <ul aria-label="Known tags" className="flex max-h-[40vh] flex-col overflow-y-auto">
            {known.map((tag) => (
              <TagChoice
                key={tag}
                tag={tag}
                count={
                  tagged
                    .values()
                    .filter((tags) => tags.includes(tag))
                    .toArray().length
                }
                of={sessions.length}
                onChange={(isOn) => change.mutate(isOn ? { add_tags: [tag] } : { remove_tags: [tag] })}
              />
            ))}
          </ul>
        )}
        <div className="mt-1 flex justify-end">
          <Button onClick={(event) => event.currentTarget.closest('dialog')?.close()}>Done</Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Writes changes of tags to all sessions, and keeps their resulting tags. */
function useTagging(sessions: TagDialogProps['sessions']) {
  const queries = useQueryClient()
  const [tagged, setTagged] = useState<ReadonlyMap<string, readonly string[]>>(
    new Map(sessions.map(({ id, own_tags }) => [id, own_tags])),
  )
  const change = useAction({
    async mutationFn({ add_tags = [], remove_tags = [] }: Change) {
      // One after another: the recorder handles one request at a time anyway.
      for (const { id } of sessions) await call('sessions.label', { session_id: id, add_tags, remove_tags })
      return { add: add_tags, remove: remove_tags }
    },
    onSuccess: ({ add, remove }) =>
      setTagged((now) => new Map([...now].map(([id, tags]) => [id, changed(tags, add, remove)]))),
    onSettled: () =>
      queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('sessions.') }),
  })
  return { change, tagged }
}

const changed = (tags: readonly string[], add: readonly string[], remove: readonly string[]): readonly string[] =>
  [...new Set([...tags, ...add])].filter((tag) => !remove.includes(tag))

interface TagChoiceProps {
  readonly tag: string
  /** Number of selected sessions that have it. */
  readonly count: number
  readonly of: number
  readonly onChange: (isOn: boolean) => void
}

function TagChoice({ tag, count, of, onChange }: TagChoiceProps) {
  const isSome = count > 0 && count < of
  return (
    <li>
      <label className="flex min-h-8 items-center gap-2.5 rounded-small px-2 text-small hover:bg-hover">
        <input
          type="checkbox"
          checked={count === of}
          ref={(element) => {
            if (element !== null) element.indeterminate = isSome
          }}
          onChange={() => onChange(count < of)}
          className="size-4 accent-(--accent)"
        />
        <span className="min-w-0 flex-1 truncate">{visibleText(tag)}</span>
        {isSome && <span className="text-meta text-faint">{`${count} of ${of}`}</span>}
      </label>
    </li>
  )
}

/** Returns the tags that people set on sessions. */
const useTags = (): readonly string[] => useOperation('sessions.tags', {}).data?.items.map(({ tag }) => tag) ?? []
