import { useMutation } from '@tanstack/react-query'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { Select } from '../../../components/select.tsx'
import { saveFile } from '../../../lib/export-table.ts'
import { plural } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { conversationMarkdown, sessionConversation, sessionLines } from './session-export.ts'

/** Saves a session as Markdown to read or as JSON lines to import elsewhere. */
export function SessionExportMenu({ session }: { session: OperationOutput<'sessions.get'> }) {
  const save = useMutation({
    mutationFn: async (format: string) => {
      const name = `session-${session.id}`
      if (format === 'md') {
        const messages = await sessionConversation(session.id)
        saveFile(`${name}.md`, conversationMarkdown(session, messages))
        return `Saved ${name}.md: ${plural(messages.length, 'message')}`
      }
      const lines = await sessionLines(session.id)
      saveFile(`${name}.jsonl`, `${lines.join('\n')}\n`)
      return `Saved ${name}.jsonl: ${plural(lines.length - 1, 'event')}`
    },
    onSuccess: (messages) => notify(messages),
    onError: (error) => notify(error.message, 'warn'),
  })
  return (
    <Select
      label="Export session"
      value=""
      size="small"
      className="max-w-28"
      options={[
        ['', save.isPending ? 'Exporting…' : 'Export…'],
        ['md', 'Markdown (prompts and answers)'],
        ['jsonl', 'JSON lines (all events)'],
      ]}
      onChange={(format) => {
        if (format !== '' && !save.isPending) save.mutate(format)
      }}
    />
  )
}
