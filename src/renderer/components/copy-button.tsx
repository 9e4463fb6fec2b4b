import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { notify, notifyFailure } from '../lib/notices.ts'
import { Button, type ButtonLook, type ButtonSize } from './button.tsx'

/** A text to copy. */
interface CopiedText {
  readonly text: string
  /** Text of the notice, for example "Copied the pack: 3 hits, 812 tokens". */
  readonly notice: string
}

interface CopyButtonLook {
  readonly label?: string
  /** The beginning of the label, alone in a narrow window. */
  readonly short?: string
  readonly name?: string
  readonly look?: ButtonLook
  /** Defaults to `medium` with a label and `icon` without one. */
  readonly size?: ButtonSize
  readonly className?: string
}

/** The text, or a function that loads it on a click if the text on screen may be out of date. */
type CopyButtonProps = CopyButtonLook & (CopiedText | { readonly load: () => Promise<CopiedText> })

/** Copies a text to the clipboard and confirms it in a notice. */
export function CopyButton(props: CopyButtonProps) {
  const { label, short, name = 'Copy', look = 'ghost', size, className } = props
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    const { text, notice } = 'load' in props ? await props.load() : props
    setCopied(await copyText(text, notice))
  }
  return (
    <Button
      look={look}
      aria-label={label === undefined ? name : short === undefined ? undefined : label}
      title={label === undefined ? name : undefined}
      size={size ?? (label === undefined ? 'icon' : 'medium')}
      className={className}
      onClick={() => void copy().catch(notifyFailure)}
    >
      {copied ? <Check className="size-4" aria-hidden /> : <Copy className="size-4" aria-hidden />}
      {short === undefined ? (
        label
      ) : (
        <span>
          {short}
          <span className="max-[1000px]:hidden">{label?.slice(short.length)}</span>
        </span>
      )}
    </Button>
  )
}

/** Copies a text and shows a notice. Returns false if the browser denies access to the clipboard. */
export async function copyText(text: string, notice: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    notify(notice)
    return true
  } catch {
    notify('The browser denied access to the clipboard. Select the text and copy it yourself.', 'warn')
    return false
  }
}
