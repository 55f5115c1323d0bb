import type { ReactNode } from 'react';

export const metadata = { title: 'Next with an edge controller' };

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <main>{children}</main>
      </body>
    </html>
  );
}
