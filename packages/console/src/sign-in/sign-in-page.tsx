import { SignInSteps } from './sign-in-steps.tsx';
import './sign-in.css';

export function SignInPage() {
  return (
    <main className="sign-in-page">
      <div className="card">
        <h1>Edge Controller</h1>
        <SignInSteps />
      </div>
    </main>
  );
}
