import type { ButtonHTMLAttributes } from 'react'

const LOOKS = {
  primary: 'bg-accent text-accent-ink hover:bg-accent-hover border-transparent font-medium',
  plain: 'bg-surface text-ink border-line-strong hover:bg-hover',
  ghost: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-ink',
} as const

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof LOOKS
}

/** A button: primary once a view at most, plain, or ghost among others. */
export function Button({ look = 'plain', className = '', ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`bar inline-flex h-8 items-center justify-center gap-1.5 rounded-small border px-3 text-[0.8667rem] whitespace-nowrap disabled:opacity-50 ${LOOKS[look]} ${className}`}
    />
  )
}

interface ToggleProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly on: boolean
}

/** A filter that is on or off: filled and outlined, so that its state does not hang on colour. */
export function Toggle({ on, className = '', ...rest }: ToggleProps) {
  return (
    <button
      type="button"
      aria-pressed={on}
      {...rest}
      className={`bar inline-flex h-7 items-center gap-1.5 rounded-full border px-2.5 text-[0.8rem] whitespace-nowrap ${
        on ? 'border-line-strong bg-surface text-ink' : 'border-dashed border-line-strong text-faint hover:text-ink'
      } ${className}`}
    />
  )
}
