import { FileDown } from 'lucide-react'
import { useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { Menu } from '../../../components/menu.tsx'
import { useCommands } from '../../../lib/commands.ts'
import { saveFile } from '../../../lib/export-table.ts'
import { plural } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { PageDialog } from './page-dialog.tsx'
import { conversationMarkdown, sessionConversation, sessionLines } from './session-export.ts'
import { useAction } from '../../../lib/use-action.ts'

/** Saves a session to read, to share, or to import elsewhere. */
export function SessionExportMenu({ session }: { session: OperationOutput<'sessions.get'> }) {
  const [isSharing, setSharing] = useState(false)
  const save = useAction({
    mutationFn: async (format: 'md' | 'jsonl') => {
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
  })
  const items = [
    { id: 'md', name: 'Markdown', note: 'Prompts and answers', run: () => save.mutate('md') },
    { id: 'html', name: 'HTML page…', note: 'To share: opens offline in any browser', run: () => setSharing(true) },
    { id: 'jsonl', name: 'JSON lines', note: 'All events, to import elsewhere', run: () => save.mutate('jsonl') },
  ]
  useCommands(
    'This session',
    items.map(({ id, name, run }) => ({ id: `session:export:${id}`, icon: FileDown, name: `Export as ${name}`, run })),
  )
  return (
    <>
      <Menu
        label="Export session"
        text={save.isPending ? 'Exporting…' : 'Export'}
        icon={FileDown}
        size="small"
        disabled={save.isPending}
        items={items}
      />
      {isSharing && <PageDialog sessionIds={[session.id]} onClose={() => setSharing(false)} />}
    </>
  )
}
