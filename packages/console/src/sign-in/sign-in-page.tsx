import icon from '../shell/icon.svg';
import { SignInSteps } from './sign-in-steps.tsx';
import './sign-in.css';

export function SignInPage() {
  return (
    <main className="sign-in-page">
      <div className="card">
        <h1 className="sign-in-title">
          <img src={icon} alt="" width="28" height="28" /> Edge Controller
        </h1>
        <SignInSteps />
      </div>
    </main>
  );
}
