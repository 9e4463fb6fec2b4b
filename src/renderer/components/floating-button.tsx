import type { ButtonHTMLAttributes } from 'react'
import { Button } from './button.tsx'

/** A button that floats over the end of a list. The list's container must be `relative`. */
export function FloatingButton(props: ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <span className="absolute bottom-5 left-1/2 -translate-x-1/2 rounded-full shadow-float">
      <Button {...props} look="primary" size="pill" className="min-w-28" />
    </span>
  )
}
