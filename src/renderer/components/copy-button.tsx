import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { say } from '../lib/notices.ts'
import { Button, type ButtonLook, type ButtonSize } from './button.tsx'

interface CopyButtonProps {
  readonly text: string
  /** What was copied, for the notice: "Copied the pack: 3 hits, 812 tokens". */
  readonly said: string
  readonly label?: string
  readonly name?: string
  readonly look?: ButtonLook
  /** Defaults to `medium` with a label and `icon` without one. */
  readonly size?: ButtonSize
  readonly className?: string
}

/** Puts a text on the clipboard, and says what it did. */
export function CopyButton({ text, said, label, name = 'Copy', look = 'ghost', size, className }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <Button
      look={look}
      aria-label={label === undefined ? name : undefined}
      title={label === undefined ? name : undefined}
      size={size ?? (label === undefined ? 'icon' : 'medium')}
      className={className}
      onClick={async () => setCopied(await copyText(text, said))}
    >
      {copied ? <Check className="size-4" aria-hidden /> : <Copy className="size-4" aria-hidden />}
      {label}
    </Button>
  )
}

/** Copies a text and says so; where the page may not, says that instead. Answers whether it worked. */
export async function copyText(text: string, said: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    say(said)
    return true
  } catch {
    say('This browser does not let the page copy. Select the text and copy it by hand.', 'warn')
    return false
  }
}
