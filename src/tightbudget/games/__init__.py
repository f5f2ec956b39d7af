"""The games of adaptive composition: filters and odometers played against adversaries, with coins or exactly (M18)."""

from tightbudget.games.adversaries import STOP as STOP
from tightbudget.games.adversaries import Bursts as Bursts
from tightbudget.games.adversaries import Counterexample as Counterexample
from tightbudget.games.adversaries import Fixed as Fixed
from tightbudget.games.adversaries import Greedy as Greedy
from tightbudget.games.adversaries import Plan as Plan
from tightbudget.games.adversaries import SpendTheRest as SpendTheRest
from tightbudget.games.adversaries import StopWhenAhead as StopWhenAhead
from tightbudget.games.adversaries import TinyThenLarge as TinyThenLarge
from tightbudget.games.adversaries import View as View
from tightbudget.games.adversaries import counterexample as counterexample
from tightbudget.games.best import worst_crossing as worst_crossing
from tightbudget.games.best import worst_view as worst_view
from tightbudget.games.book import Unlimited as Unlimited
from tightbudget.games.estimate import Estimate as Estimate
from tightbudget.games.exact import exact_filter as exact_filter
from tightbudget.games.exact import exact_odometer as exact_odometer
from tightbudget.games.simulate import paths as paths
from tightbudget.games.simulate import play_filter as play_filter
from tightbudget.games.simulate import play_odometer as play_odometer
from tightbudget.games.steps import Step as Step
from tightbudget.games.steps import gaussian as gaussian
from tightbudget.games.steps import response as response
from tightbudget.games.steps import step as step
