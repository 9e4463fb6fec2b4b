import { Copy, SquareTerminal } from 'lucide-react'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { clientLabel, resumeOf } from '../../../../shared/vendors.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton, copyText } from '../../../components/copy-button.tsx'
import { useCommands } from '../../../lib/commands.ts'
import { notify } from '../../../lib/notices.ts'
import { canOpenTerminal, openTerminal } from '../../../lib/open-terminal.ts'
import { typedAspy } from '../../../lib/typed-aspy.ts'
import { resumeCommand } from './resume-command.ts'
import { useAction } from '../../../lib/use-action.ts'

/** Resumes a session: in the desktop app by opening a terminal, in a browser by copying the command. */
export function ResumeButtons({ session }: { session: Session }) {
  const text = resumeCommand(session, typedAspy())
  const notice = 'Copied the resume command. Paste it in a terminal.'
  useCommands('This session', [
    ...(text === null
      ? []
      : [
          {
            id: 'session:resume',
            icon: SquareTerminal,
            name: 'Copy resume command',
            run: () => void copyText(text, notice),
          },
        ]),
    {
      id: 'session:id',
      icon: Copy,
      name: 'Copy session ID',
      run: () => void copyText(session.id, 'Copied the session ID'),
    },
  ])
  if (text === null) return null
  const copy = { text, notice }
  if (!canOpenTerminal())
    return <CopyButton {...copy} label="Copy resume command" short="Copy resume" look="primary" size="small" />
  return (
    <span className="flex items-center">
      <OpenTerminalButton session={session} />
      <CopyButton {...copy} name="Copy resume command" size="icon-small" />
    </span>
  )
}

function OpenTerminalButton({ session }: { session: Session }) {
  const open = useAction({
    mutationFn: () => openTerminal(session.id),
    // The terminal uses the client's own base URL, which may bypass Aspy.
    onSuccess: () =>
      notify(`Opened a terminal. The session is recorded if ${clientLabel(session.client)} is connected to Aspy.`),
  })
  return (
    <Button
      look="primary"
      size="small"
      title={`Run ${resumeOf(session.id)?.join(' ') ?? ''} in a terminal, in the project folder`}
      disabled={open.isPending}
      onClick={() => open.mutate()}
    >
      <SquareTerminal className="size-4" aria-hidden />
      Resume in terminal
    </Button>
  )
}
