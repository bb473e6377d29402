"""The examples run; `learn.py` with a small board and budget."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name, *arguments):
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def test_solve_2x2():
    text = run("solve_2x2.py", "--max-dice", "2")
    costs = dict(re.findall(r"^(\w+) +costs +([\d.]+)%", text, re.MULTILINE))
    assert float(costs["master"]) < float(costs["random"])
    assert "deals; the first player wins" in text


def test_evaluate_level():
    text = run("evaluate_level.py", "steady", "--against", "random", "--games", "60", "--size", "3", "--players", "2")
    share, low, high = map(float, re.findall(r"([\d.]+)%", text)[:3])
    assert low <= share <= high and low > 50


def test_learn():
    text = run("learn.py", "--size", "3", "--rounds", "24", "--games", "1000")
    before = float(re.search(r" 0 rounds +([\d.]+)%", text)[1])
    after = float(re.search(r"^greedy +([\d.]+)%", text, re.MULTILINE)[1])
    assert after > before + 5


def test_learning_again_gives_the_same_learner():
    def shares(seed):
        text = run("learn.py", "--size", "3", "--rounds", "3", "--games", "200", "--seed", seed)
        return re.findall(r"^\w+ +[\d.]+%", text, re.MULTILINE)

    assert shares("1") == shares("1") != shares("2")


def test_the_exercise_in_the_guide_prints_what_the_program_prints(capsys):
    guide = (EXAMPLES.parents[1] / "docs" / "land-of-lisp.md").read_text()
    [program] = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    exec(program, {})
    [printed] = capsys.readouterr().out.splitlines()
    assert printed in guide.splitlines()


def test_speed():
    rates = re.findall(r"([\d,]+) steps/s", run("speed.py", "--seconds", "0.2"))
    assert len(rates) == 5 and all(int(rate.replace(",", "")) > 1000 for rate in rates)


@pytest.mark.parametrize("document", ["README.md", "../README.md"])
def test_the_readme_tells_the_truth(document):
    text = (EXAMPLES.parent / document).read_text()
    programs = [code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "import dice_of_doom" in code]
    assert len(programs) == 1
    scope = {}
    exec(programs[0], scope)
    assert scope["position"].is_over
