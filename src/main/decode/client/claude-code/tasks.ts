import type { Json, Payloads } from '../../../../shared/event.ts'
import type { DraftBase } from '../../draft-base.ts'
import { naturalKey, type EventDraft } from '../../draft.ts'
import { filledString, isObject, listOf, objectOf } from '../../../../shared/json-fields.ts'

type Tasks = Payloads['task_update']['tasks']

/**
 * Returns the changes that a successful call made to the task list; null if none. A `TaskUpdate` names only what
 * changed, so a subject may be ''. `detail` is the client's structured result, `text` what the model saw.
 */
export function taskChanges(
  toolName: string | null,
  input: Json | undefined,
  text: string,
  detail: Json | undefined,
): Tasks | null {
  const asked = objectOf(input)
  const result = objectOf(detail)
  switch (toolName) {
    case 'TodoWrite': {
      const todos = listOf(result['newTodos'] ?? asked['todos']).filter(isObject)
      return todos.map((todo, at) => ({
        id: filledString(todo['id']) ?? String(at + 1),
        subject: filledString(todo['content']) ?? '',
        status: filledString(todo['status']) ?? 'pending',
      }))
    }
    case 'TaskCreate': {
      const id = filledString(objectOf(result['task'])['id']) ?? /^Task #(\S+) created/.exec(text)?.[1]
      return id === undefined ? null : [{ id, subject: filledString(asked['subject']) ?? '', status: 'pending' }]
    }
    case 'TaskUpdate': {
      const id = filledString(asked['taskId']) ?? filledString(result['taskId'])
      const status = filledString(asked['status'])
      const subject = filledString(asked['subject'])
      if (id === null || (status === null && subject === null)) return null
      return [{ id, subject: subject ?? '', status: status ?? '' }]
    }
    case 'TaskList': {
      // The hook reports the list, too, and dates it: a list with the time of a change may predate that change.
      const listed = listOf(result['tasks']).filter(isObject)
      if (listed.length > 0)
        return listed.map((task) => ({
          id: filledString(task['id']) ?? '',
          subject: filledString(task['subject']) ?? '',
          status: filledString(task['status']) ?? '',
        }))
      const lines = [...text.matchAll(/^#(\S+) \[(\w+)\] (.*)$/gm)]
      return lines.length === 0
        ? null
        : lines.map(([, id = '', status = '', subject = '']) => ({ id, subject, status }))
    }
    default:
      return null
  }
}

/** Returns the draft of a change to the task list, as reported by a call's result. */
export function taskUpdateDraft(base: DraftBase, callId: string, tasks: Tasks): EventDraft<'task_update'> {
  return {
    ...base,
    kind: 'task_update',
    payload: { tasks },
    keys: [naturalKey.tasks(callId)],
    parents: [naturalKey.call(callId)],
  }
}
